/*
 * A thread that reads one collected stream and writes every byte to a descriptor
 * of the caller as well, as `run` does with its own stderr. It is a thread
 * because that descriptor may block for as long as its reader likes (a pager, a
 * stopped terminal), and its O_NONBLOCK flag, which other processes share, must
 * not be changed: here it holds up this one stream only, and the command by its
 * full pipe, as if it wrote there itself.
 *
 * The thread holds a reference of the process and takes its lock for each chunk.
 * A target that has no reader any more ends the stream, and the command's next
 * write there fails; any other failure ends the copying, not the collecting.
 */
#ifndef UW_SUBPROCESS_COPIER_H
#define UW_SUBPROCESS_COPIER_H

struct copier;
struct stream;

/* Duplicates target. 0, or an errno. */
int copier_start(struct stream *stream, int target);
/* Any number of times: read what is there, then end. */
void copier_drain(struct copier *copier);
/* End at once, and wait for it. Not with the process's lock held. NULL: nothing. */
void copier_stop(struct copier *copier);
/* Only after it was stopped. */
void copier_free(struct copier *copier);

#endif
