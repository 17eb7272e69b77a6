/** What a child process gets of the server's environment. */
import { safeSearchPath } from "./search-path.ts";
import type { Variables } from "../base/variables.ts";

/**
 * An allow-list: a key with an unusual name would slip through a list of forbidden ones. Programs need a search path, a
 * home, a language and a place for temporary files; Windows cannot start any without its own variables.
 */
const PASSED_ON =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|TMPDIR|TMP|TEMP|NODE_ENV|USERPROFILE|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT)$/i;

/** For programs that the server starts. */
export function childEnvironment(environment: Variables = process.env): Record<string, string> {
  return withSafePath(passedEnvironment(environment));
}

/** The same with the whole search path, for programs that run behind a wall: they may find the project's own programs. */
export function passedEnvironment(environment: Variables = process.env): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && PASSED_ON.test(name)) passed[name] = value;
  }
  return passed;
}

/** The variables with a search path that leads into no project. */
export function withSafePath<Kept extends Variables>(environment: Kept): Kept {
  const safe = Object.entries(environment).map(([name, value]) => {
    // Windows writes the name in its own way.
    return [name, value !== undefined && /^PATH$/i.test(name) ? safeSearchPath(value) : value] as const;
  });
  return Object.fromEntries(safe) as Kept;
}
