/** Gives up, for good and in the calling thread, the rights that only the start of the image needed. */

interface Permission {
  readonly has: (scope: string) => boolean;
  readonly drop?: (scope: string) => void;
}

const RIGHTS = ["worker", "inspector", "addon", "child"];

/** Returns why it could not, or undefined when every right is gone. */
export function dropRights(): string | undefined {
  const permission = (process as unknown as { permission?: Permission }).permission;
  if (permission?.drop === undefined) return "this Node has no process.permission.drop";
  for (const right of RIGHTS) permission.drop(right);
  const left = RIGHTS.filter((right) => permission.has(right));
  return left.length === 0 ? undefined : `Node kept the rights ${left.join(", ")}`;
}
