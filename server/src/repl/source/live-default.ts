/**
 * `export default name` exports the present value of the name: importers would keep the old value after a redefinition.
 * A name that is declared once and never written to is exported by its binding instead, which makes no difference
 * before a redefinition.
 */
import { moduleOutline } from "./module-outline.ts";

const EXPORT = /^(export\s+default\s+)([\p{ID_Start}$_][\p{ID_Continue}$]*)(?=\s*(?:;|$|\/[/*]))/gmu;
const ONCE = new Set(["constant", "function", "class", "enum"]);

/** The changed text has the same lines. */
export function withLiveDefault(path: string, text: string): string {
  if (text.search(EXPORT) < 0) return text;
  const outline = moduleOutline(path, text);
  const name = outline?.exports.get("default");
  const isOnce = outline?.declarations.some((each) => each.name === name && ONCE.has(each.kind) && !each.isAmbient);
  if (isOnce !== true) return text;
  return text.replace(EXPORT, (whole, _, exported: string) =>
    exported === name ? `export { ${name} as default }` : whole,
  );
}
