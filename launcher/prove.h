/*
 * `umwelt-launch --prove`: run as the command inside a confined range, it tries
 * what must work and what must fail (S-30), effects instead of versions.
 */
#ifndef UL_PROVE_H
#define UL_PROVE_H

/* words: what follows --prove. 0 all as wanted, 1 not, 125 a wrong word. */
int ul_prove(int count, char *const *words);

#endif
