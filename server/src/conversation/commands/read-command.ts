/** Whether a prompt is a command. Pure. */

export interface AskedCommand {
  readonly name: string;
  readonly rest: string;
}

/**
 * `/name`, at the very beginning of a prompt, alone or before white space: `/usr/bin`, `/etc.d` and `/ 2` are text.
 */
export function readCommand(text: string): AskedCommand | undefined {
  const [, name, rest = ""] = /^\/([A-Za-z][\w-]*)(?=\s|$)([\s\S]*)$/.exec(text) ?? [];
  return name === undefined ? undefined : { name, rest: rest.trim() };
}
