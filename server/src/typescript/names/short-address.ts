/** The address of a declaration; without the callbacks around it where it is the only one of that name in its file. */
import { formatAddress } from "./address.ts";
import type { Declaration } from "./tree/declaration.ts";
import type { View } from "../view.ts";

const CALLBACKS = /^.* callback\.(?=[^.]|$)/;

export function addressOf(view: View, { file, path }: Declaration): string {
  return formatAddress(view.paths.show(file), path);
}

/** `src/a.test.ts#Fake` in place of `src/a.test.ts#describe("a") callback.it("b") callback.Fake`. */
export async function shortAddress(view: View, declaration: Declaration): Promise<string> {
  const { file, path } = declaration;
  const short = path.replace(CALLBACKS, "");
  if (short === path || short === "") return addressOf(view, declaration);
  const { declarations } = await view.outline(file);
  const exact = declarations.filter((each) => each.path === short);
  const named = exact.length > 0 ? exact : declarations.filter((each) => each.path.endsWith(`.${short}`));
  const visible = named.filter((each) => !each.local);
  const meant = new Set((visible.length > 0 ? visible : named).map((each) => each.path));
  return meant.size === 1 && meant.has(path)
    ? formatAddress(view.paths.show(file), short)
    : addressOf(view, declaration);
}
