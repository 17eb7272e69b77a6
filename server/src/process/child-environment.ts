/** What a child process gets of the server's environment. */

/**
 * An allow-list: a key with an unusual name would slip through a list of forbidden ones. Programs need a search path, a
 * home, a language and a place for temporary files; Windows cannot start any without its own variables.
 */
const PASSED_ON =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|TMPDIR|TMP|TEMP|NODE_ENV|USERPROFILE|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT)$/i;

export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && PASSED_ON.test(name)) passed[name] = value;
  }
  return passed;
}
