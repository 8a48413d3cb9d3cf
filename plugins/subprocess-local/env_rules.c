#include "env_rules.h"

#include "common/cleanup.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/*
 * Credentials, by word. A name is cut into words at everything that is no letter
 * and no digit, and where a small letter meets a capital; case does not matter.
 * So MY_API_KEY and apiKey go, MONKEY, KEYMAP, PATH and GIT_AUTHOR_NAME stay.
 */
static const char *const credential_words[] = {
    "ACCESSKEY", "APIKEY",      "AUTH",     "AUTHKEY", "AUTHTOKEN", "BEARER",     "COOKIE",
    "COOKIES",   "CRED",        "CREDENTIAL", "CREDENTIALS", "CREDS", "JWT",      "KEY",
    "KEYS",      "OAUTH",       "PASS",    "PASSCODE",  "PASSPHRASE", "PASSWD",
    "PAT",       "PRIVATEKEY",  "PSK",      "SECRETKEY", "TOKEN",   "TOKENS",     "TOTP",
};

/* Credentials, anywhere in the name. */
static const char *const credential_parts[] = {"PASSWORD", "SECRET"};

/* Credentials, and ways to agents that hold them, by name; `*` at the end: by prefix. */
static const char *const credential_names[] = {
    "DOCKER_AUTH_CONFIG", "GNOME_KEYRING_CONTROL", "GPG_AGENT_INFO", "KRB5CCNAME",
    "MYSQL_PWD",          "NETRC",                 "PGPASSFILE",     "SSH_AGENT_PID",
    "SSH_AUTH_SOCK",      "SSH_CLIENT_CERT",       "XAUTHORITY",
};

/* What makes a loader, a shell or an interpreter run or read something else. */
static const char *const hook_names[] = {
    /* loader and C library */
    "LD_*", "DYLD_*", "GCONV_PATH", "GETCONF_DIR", "GLIBC_TUNABLES", "HOSTALIASES", "LOCALDOMAIN",
    "LOCPATH", "MALLOC_CHECK_", "MALLOC_TRACE", "NIS_PATH", "NLSPATH", "RESOLV_HOST_CONF",
    "RES_OPTIONS",
    /* shells */
    "BASH_ENV", "ENV", "BASH_FUNC_*", "BASH_LOADABLES_PATH", "BASH_XTRACEFD", "BASHOPTS", "CDPATH",
    "FPATH", "GLOBIGNORE", "IFS", "PROMPT_COMMAND", "PS4", "SHELLOPTS", "ZDOTDIR",
    /* interpreters */
    "PYTHONSTARTUP", "PYTHONHOME", "PYTHONPATH", "PYTHONINSPECT", "PYTHONBREAKPOINT",
    "PYTHONEXECUTABLE", "PYTHONPLATLIBDIR", "PYTHONUSERBASE", "PYTHONWARNINGS", "PERL5OPT",
    "PERL5LIB", "PERL5DB", "PERLLIB", "RUBYOPT", "RUBYLIB", "NODE_OPTIONS", "NODE_PATH",
    "NODE_REPL_EXTERNAL_MODULE", "BUN_OPTIONS", "DENO_*", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS", "CLASSPATH", "LUA_INIT*", "LUA_PATH*", "LUA_CPATH*", "PHPRC",
    "PHP_INI_SCAN_DIR", "R_PROFILE*", "R_ENVIRON*", "ERL_AFLAGS", "ERL_FLAGS", "ERL_ZFLAGS",
    "DOTNET_STARTUP_HOOKS", "CORECLR_*", "COR_ENABLE_PROFILING", "COR_PROFILER*", "TCLLIBPATH",
    "PSMODULEPATH",
    /* git: programs to run, and configuration by environment */
    "GIT_EXTERNAL_DIFF", "GIT_CONFIG", "GIT_CONFIG_*", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS",
    "GIT_PROXY_COMMAND", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_SEQUENCE_EDITOR", "GIT_TRACE*",
    /* other programs that start or load what a variable names */
    "SSH_ASKPASS", "SUDO_ASKPASS", "LESSOPEN", "LESSCLOSE", "MANOPT", "VIMINIT", "EXINIT",
    "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES", "GTK_MODULES", "GTK_PATH",
    "GTK_IM_MODULE_FILE", "GIO_EXTRA_MODULES", "GIO_MODULE_DIR", "QT_PLUGIN_PATH",
    "QT_QPA_PLATFORM_PLUGIN_PATH", "MAKEFLAGS", "MAKEFILES", "GNUMAKEFLAGS", "MFLAGS",
    "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "GCC_EXEC_PREFIX", "COMPILER_PATH", "RSYNC_RSH",
    "CVS_RSH",
};

/* What is said of the host process itself and would be wrong of a command. */
static const char *const host_names[] = {"PWD", "OLDPWD", "UMWELT_*"};

/* `env_pass: minimal` */
static const char *const minimal_names[] = {
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ", "TERM", "TMPDIR",
};

int env_matches(const char *name, size_t len, const char *pattern)
{
	size_t pattern_len = strlen(pattern);
	if (pattern_len && pattern[pattern_len - 1] == '*')
		return len >= pattern_len - 1 && !memcmp(name, pattern, pattern_len - 1);
	return len == pattern_len && !memcmp(name, pattern, len);
}

static int matches_any(const char *name, size_t len, const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (env_matches(name, len, patterns[i]))
			return 1;
	return 0;
}

static int word_is_credential(const char *word, size_t len)
{
	for (size_t i = 0; i < UW_COUNT(credential_words); i++)
		if (strlen(credential_words[i]) == len && !strncasecmp(word, credential_words[i], len))
			return 1;
	return 0;
}

/* a new word begins at byte i */
static int word_begins(const char *name, size_t i)
{
	return i && islower((unsigned char)name[i - 1]) && isupper((unsigned char)name[i]);
}

static int has_credential_word(const char *name, size_t len)
{
	size_t start = 0;
	for (size_t i = 0; i <= len; i++) {
		int separator = i == len || !isalnum((unsigned char)name[i]);
		if (!separator && !word_begins(name, i))
			continue;
		if (i > start && word_is_credential(name + start, i - start))
			return 1;
		start = separator ? i + 1 : i;
	}
	return 0;
}

static int has_part(const char *name, size_t len, const char *part)
{
	size_t part_len = strlen(part);
	for (size_t i = 0; i + part_len <= len; i++)
		if (!strncasecmp(name + i, part, part_len))
			return 1;
	return 0;
}

const char *env_denied(const char *name, size_t len)
{
	if (matches_any(name, len, host_names, UW_COUNT(host_names)))
		return "host";
	if (matches_any(name, len, hook_names, UW_COUNT(hook_names)))
		return "hook";
	if (matches_any(name, len, credential_names, UW_COUNT(credential_names)) ||
	    has_credential_word(name, len))
		return "credential";
	for (size_t i = 0; i < UW_COUNT(credential_parts); i++)
		if (has_part(name, len, credential_parts[i]))
			return "credential";
	return NULL;
}

int env_minimal(const char *name, size_t len)
{
	return matches_any(name, len, minimal_names, UW_COUNT(minimal_names));
}

static int print_list(struct uw_sink sink, const char *what, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char line[96];
		int len = snprintf(line, sizeof line, "%s %s\n", what, list[i]);
		int r = sink.write(sink.arg, line, (size_t)len);
		if (r < 0)
			return r;
	}
	return 0;
}

int env_rules_print(struct uw_sink sink)
{
	int r = print_list(sink, "credential word", credential_words, UW_COUNT(credential_words));
	if (r == 0)
		r = print_list(sink, "credential part", credential_parts, UW_COUNT(credential_parts));
	if (r == 0)
		r = print_list(sink, "credential name", credential_names, UW_COUNT(credential_names));
	if (r == 0)
		r = print_list(sink, "hook name", hook_names, UW_COUNT(hook_names));
	if (r == 0)
		r = print_list(sink, "host name", host_names, UW_COUNT(host_names));
	if (r == 0)
		r = print_list(sink, "minimal name", minimal_names, UW_COUNT(minimal_names));
	return r;
}
