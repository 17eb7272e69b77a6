/**
 * Vite bundles a configuration into a file of its own below `node_modules`, imports that and deletes it. A confined
 * process may not write there: the file is kept in memory. Vite's other ways to load a configuration do not know
 * `__dirname`, nor CommonJS.
 */
import fs, { promises } from "node:fs";
import { registerHooks, syncBuiltinESMExports } from "node:module";
import { pathToFileURL } from "node:url";

const FOLDER = /[\\/]\.vite-temp[\\/]?$/;
const FILE = /\.timestamp-[\w-]+\.mjs$/;

export function keepViteConfigInMemory(): void {
  const texts = new Map<string, string>();
  const { mkdir, writeFile } = promises;
  promises.mkdir = (async (path, options) => {
    if (!FOLDER.test(String(path))) return mkdir(path, options);
  }) as typeof mkdir;
  promises.writeFile = async (file, data, options) => {
    if (typeof file !== "string" || typeof data !== "string" || !FILE.test(file)) return writeFile(file, data, options);
    texts.set(pathToFileURL(file).href, data);
  };
  // Vite asks for the real path of a CommonJS one in the only way that looks at each folder above.
  fs.realpath = Object.assign(fs.realpath.native.bind(fs), { native: fs.realpath.native }) as typeof fs.realpath;
  syncBuiltinESMExports();
  registerHooks({
    resolve: (url, context, next) =>
      texts.has(url) ? { url, format: "module", shortCircuit: true } : next(url, context),
    load: (url, context, next) => {
      const source = texts.get(url);
      return source === undefined ? next(url, context) : { source, format: "module", shortCircuit: true };
    },
  });
}
