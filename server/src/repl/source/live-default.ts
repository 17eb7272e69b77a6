/**
 * `export default name` exports the value that the name has at that moment: importers would keep the old value when the
 * name is redefined. A name that is declared once and never written to is exported by its binding instead, which is the
 * same until then.
 */
import { moduleOutline } from "./module-outline.ts";

const EXPORT = /^(export\s+default\s+)([\p{ID_Start}$_][\p{ID_Continue}$]*)(?=\s*(?:;|$|\/[/*]))/gmu;
const ONCE = new Set(["constant", "function", "class", "enum"]);

/** The text with the same lines. */
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
