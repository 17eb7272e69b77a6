/**
 * Lets Node find TypeScript as the compiler does, when a project does not say how its tests are loaded: `./a.js` and
 * `./a` mean `./a.ts` where no other file exists.
 */
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

registerHooks({
  resolve: (name, context, next) => {
    try {
      return next(name, context);
    } catch (error) {
      const meant = /^(?:\.{0,2}\/|file:)/.test(name) ? meantBy(name, context.parentURL) : undefined;
      if (meant === undefined) throw error;
      return next(meant, context);
    }
  },
});

function meantBy(name: string, parent: string | undefined): string | undefined {
  const path = fileURLToPath(new URL(name, parent));
  const candidates = [
    path.replace(/\.([cm]?)js$/, ".$1ts"),
    `${path}.ts`,
    `${path}.tsx`,
    `${path}.js`,
    `${path}/index.ts`,
    `${path}/index.js`,
  ];
  const found = candidates.find((candidate) => candidate !== path && existsSync(candidate));
  return found === undefined ? undefined : pathToFileURL(found).href;
}
