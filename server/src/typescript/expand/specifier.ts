/** How one module names another. */
import { dirname, relative, sep } from "node:path";

export function specifier(from: string, to: string): string {
  const path = relative(dirname(from), to).split(sep).join("/");
  return path.startsWith(".") ? path : `./${path}`;
}
