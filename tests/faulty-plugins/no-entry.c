/* A shared object that is no plugin: it exports nothing of that name. */
extern int uw_not_the_entry(void);
__attribute__((visibility("default"))) int uw_not_the_entry(void)
{
	return 1;
}
