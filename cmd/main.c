/* The program's entry alone, so that tests can link the rest. */
#include "cmd/cmd.h"

int main(int argc, char **argv)
{
	return cmd_main(argc, argv);
}
