// Bundles server/src into dist/. Few files load faster than many: the server's start to its first answer takes a third
// less of the processor than with a file per module. Packages stay outside; what is imported lazily stays lazy.
import { join } from "node:path";
import { rolldown } from "rolldown";
import { root } from "./paths.mjs";

/** The server and, as programs of their own, the two threads of the REPL's process. */
const programs = [
  { input: { main: "server/src/main.ts" }, folder: "dist" },
  {
    input: Object.fromEntries(
      ["boot", "control-worker", "run-vitest", "vitest-wall"].map((name) => [name, `server/src/repl/image/${name}.ts`]),
    ),
    folder: "dist/image",
  },
];

try {
  for (const program of programs) await bundle(program);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function bundle({ input, folder }) {
  const graph = await rolldown({
    cwd: root,
    input,
    platform: "node",
    external: (id) => !/^[./]/.test(id),
  });
  await graph.write({
    dir: join(root, folder),
    format: "esm",
    sourcemap: true,
    chunkFileNames: "[name].js",
    // A server that still runs may load a chunk of the next build: its names must mean the same there.
    minifyInternalExports: false,
  });
  await graph.close();
}
