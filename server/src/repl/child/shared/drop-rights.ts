/** Gives up the rights that only the start of the image needed, for good, in the calling thread. */

interface Permission {
  readonly has: (scope: string) => boolean;
  readonly drop?: (scope: string) => void;
}

const RIGHTS = ["worker", "inspector", "addon", "child"];

/** Undefined when every right is gone, else the reason why not. */
export function dropRights(): string | undefined {
  const permission = (process as unknown as { permission?: Permission }).permission;
  if (permission?.drop === undefined) return "this Node has no process.permission.drop";
  for (const right of RIGHTS) permission.drop(right);
  const left = RIGHTS.filter((right) => permission.has(right));
  return left.length === 0 ? undefined : `Node kept the rights ${left.join(", ")}`;
}
