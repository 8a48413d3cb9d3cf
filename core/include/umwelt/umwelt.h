/* Everything a host of Umwelt includes. */
#ifndef UMWELT_UMWELT_H
#define UMWELT_UMWELT_H

#include <umwelt/call.h>
#include <umwelt/error.h>
#include <umwelt/fs.h>
#include <umwelt/host.h>
#include <umwelt/plugin.h>
#include <umwelt/policy.h>
#include <umwelt/sandbox.h>
#include <umwelt/shell.h>
#include <umwelt/subprocess.h>
#include <umwelt/types.h>

#endif
