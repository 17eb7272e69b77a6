/** What to say of an address that leads nowhere: why, and what is spelled like it. */
import { filesSpelling } from "./index/files-by-text.ts";
import { largeNote } from "./tree/outline.ts";
import type { ModuleScope } from "./tree/module-scope.ts";
import type { Declaration } from "./tree/declaration.ts";
import { nearestNames } from "../../base/spelling.ts";
import type { View } from "../view.ts";
import { mapLimited } from "../yielding.ts";

export interface UnknownName {
  readonly kind: "unknown";
  readonly reason: string;
  readonly nearest: readonly string[];
}

const NEAREST = 5;

export function unknownModule(view: View, module: string): UnknownName {
  const files = view.ownFiles().map((file) => view.paths.show(file));
  const base = module.split("/").at(-1) ?? module;
  const byBase = new Map(files.map((file) => [file.split("/").at(-1) ?? file, file]));
  const nearest = nearestNames(base, byBase.keys(), NEAREST).map((name) => byBase.get(name) ?? name);
  return {
    kind: "unknown",
    reason: `No file, package or tsconfig "${module}" is part of the loaded projects.`,
    nearest,
  };
}

/** Looks at every file whose text could have the name: a similar name may be anywhere. */
export async function unknownName(
  view: View,
  scope: ModuleScope | undefined,
  path: string,
  module: string | undefined,
): Promise<UnknownName> {
  const files = await filesSpelling(view, scope?.files ?? view.ownFiles(), path);
  const outlines = await mapLimited(files, (file) => view.outline(file), view.signal);
  for (const { file, outermostOnly } of outlines) if (outermostOnly) view.doubts.add(largeNote(view.paths, file));
  const declarations = outlines.flatMap((outline) => outline.declarations).filter((each) => !each.isHandedOver);
  const imports = declarations.filter((declaration) => declaration.path === path);
  if (imports.length > 0) return { kind: "unknown", reason: onlyImported(view, path, imports), nearest: [] };
  const paths = declarations.map((declaration) => declaration.path);
  const last = path.split(".").at(-1) ?? path;
  const nearest = nearestNames(path, paths, NEAREST);
  const byLast =
    nearest.length > 0
      ? []
      : nearestNames(
          last,
          paths.map((each) => each.split(".").at(-1) ?? each),
          NEAREST,
        );
  const where = module === undefined ? "the loaded projects" : module;
  return { kind: "unknown", reason: `No symbol "${path}" in ${where}.`, nearest: [...nearest, ...byLast] };
}

function onlyImported(view: View, path: string, imports: readonly Declaration[]): string {
  const places = imports.slice(0, NEAREST).map(({ file, at }) => `${view.paths.show(file)}:${at.line + 1}`);
  const more = imports.length > NEAREST ? ` and ${imports.length - NEAREST} more` : "";
  return `"${path}" is only imported or passed on (${places.join(", ")}${more}), and the compiler does not find where it is declared.`;
}
