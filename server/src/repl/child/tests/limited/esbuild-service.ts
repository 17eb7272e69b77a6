/**
 * Vite up to 7 translates by esbuild, a program that runs beside it and may do what its user may. It is started before
 * anything of the project's own runs; then the right to start programs is given up, and it is asked to write nothing.
 */
import { createRequire, Module } from "node:module";

interface Esbuild {
  readonly transform: (text: string) => Promise<unknown>;
  readonly build: Build;
  readonly context: Build;
}
type Build = (options: { readonly write?: boolean }) => Promise<unknown>;

const { permission } = process as unknown as { readonly permission: { readonly drop: (right: string) => void } };

/** `path` is that of its module. */
export async function startEsbuild(path: string): Promise<void> {
  const require = createRequire(path);
  const esbuild = require(path) as Esbuild;
  await esbuild.transform("");
  permission.drop("child");
  const guarded = new Module(path);
  guarded.exports = { ...esbuild, build: unlessWriting(esbuild.build), context: unlessWriting(esbuild.context) };
  // A new one: Node remembers what a loaded module exported, whatever is written into it.
  guarded.loaded = true;
  require.cache[path] = guarded;
}

function unlessWriting(build: Build): Build {
  return async (options) => {
    if (options.write === false) return build(options);
    throw new Error("Access to this API has been restricted: esbuild would write files");
  };
}
