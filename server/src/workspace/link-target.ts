/** Where a symbolic link may lead that a program made: somewhere else in its workspace folder, and to no secret. */
import path from "node:path";
import { realPathOf } from "./real-path.ts";
import { closedName } from "./secret-names.ts";
import { isWithin } from "./within.ts";

const LONGEST = 4_095;

/**
 * Why a link with this target may not be put at a place; undefined where it may. `names` lead from `root`, a real
 * path, to the link. A `..` behind another name leads elsewhere as soon as that name is a link, so none is allowed
 * there.
 */
export function whyNotLinked(root: string, names: readonly string[], target: string): string | undefined {
  if (target === "" || target.length > LONGEST || target.includes("\0")) return "the link's target is no path.";
  const wanted = target.split("/").filter((name) => name !== "" && name !== ".");
  const ups = wanted.findIndex((name) => name !== "..");
  const [up, down] = ups === -1 ? [wanted.length, []] : [ups, wanted.slice(ups)];
  if (down.includes("..")) return "the link's target goes up behind another name.";
  const goal = path.isAbsolute(target) ? namesBelow(root, down) : namesFrom(names.slice(0, -1), up, down);
  if (goal === undefined) return "the link leads out of the workspace folder.";
  const real = realPathOf(path.join(root, ...goal));
  if (real === undefined) return "nobody can say where the link leads.";
  if (!isWithin(real.path, root)) return "the link leads out of the workspace folder.";
  const closed = closedName([...goal, ...path.relative(root, real.path).split(path.sep)]);
  return closed === undefined ? undefined : `the link leads to ${closed.name}, which nothing may touch.`;
}

function namesFrom(folder: readonly string[], up: number, down: readonly string[]): string[] | undefined {
  return up > folder.length ? undefined : [...folder.slice(0, folder.length - up), ...down];
}

function namesBelow(root: string, names: readonly string[]): string[] | undefined {
  const above = root.split("/").filter((name) => name !== "");
  return above.every((name, index) => names[index] === name) ? names.slice(above.length) : undefined;
}
