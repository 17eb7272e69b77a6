import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this checkout. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

export const binFolder = join(root, "node_modules/.bin");

/**
 * The environment in which `node` and the project's tools are the ones of this checkout.
 *
 * @param {string} node the program
 */
export function projectEnvironment(node) {
  return { ...process.env, PATH: [dirname(node), binFolder, process.env["PATH"] ?? ""].join(delimiter) };
}
