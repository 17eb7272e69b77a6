import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "../run.ts";

/**
 * Makes programs unpacked from Debian packages run from `home` with the C library that was unpacked beside them. The
 * paths live inside the programs, not in the environment, so whatever they start sees nothing of it. The packages must
 * include `patchelf`, which itself runs on the unpacked C library. `root` is where the files are now.
 */
export function relocate({ root, home, programs }: { root: string; home: string; programs: readonly string[] }): void {
  const libraries = libraryFolders(root);
  const loader = findLoader(root, libraries);
  const at = (base: string) => libraries.map((folder) => join(base, folder)).join(":");
  for (const program of programs) {
    run(join(root, loader), [
      "--library-path",
      at(root),
      join(root, "usr/bin/patchelf"),
      "--set-interpreter",
      join(home, loader),
      "--force-rpath",
      "--set-rpath",
      at(home),
      join(root, program),
    ]);
  }
}

function libraryFolders(root: string): string[] {
  const triplets = readdirSync(join(root, "usr/lib")).filter((name) => /^[a-z0-9_]+-linux-gnu/.test(name));
  const folders = triplets.flatMap((name) => [`usr/lib/${name}`, `lib/${name}`]);
  return folders.filter((folder) => existsSync(join(root, folder)));
}

function findLoader(root: string, libraries: readonly string[]): string {
  for (const folder of [...libraries, "usr/lib", "usr/lib64", "lib", "lib64"]) {
    const names = existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [];
    const loader = names.find((name) => /^ld-linux.*\.so\.\d+$/.test(name));
    if (loader !== undefined) return join(folder, loader);
  }
  throw new Error("the unpacked packages hold no dynamic loader");
}
