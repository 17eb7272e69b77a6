/** A generated monorepo: so many packages, each a project of its own, that all call what the first one exports. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface ManyProjects {
  /** Where the shared function is declared, from the root. */
  readonly file: string;
  readonly name: string;
  /** A file of each package. */
  readonly open: readonly string[];
}

const MODULES_EACH = 20;
const NAME = "shared";

export function writeManyProjects(folder: string, count: number): ManyProjects {
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };
  const json = (file: string, value: object): void => write(file, `${JSON.stringify(value)}\n`);
  json("package.json", { private: true, type: "module", workspaces: ["packages/*"] });
  const paths = { "@many/*": ["./packages/*/src/index.ts"] };
  const compilerOptions = { target: "esnext", module: "nodenext", strict: true, composite: true, paths };
  json("tsconfig.base.json", {
    compilerOptions: { ...compilerOptions, allowImportingTsExtensions: true, noEmit: true },
  });
  const names = Array.from({ length: count }, (_, index) => `p${index}`);
  for (const [index, name] of names.entries()) {
    const at = `packages/${name}`;
    json(`${at}/package.json`, { name: `@many/${name}`, type: "module", exports: "./src/index.ts" });
    const references = index === 0 ? [] : [{ path: "../p0" }];
    json(`${at}/tsconfig.json`, { extends: "../../tsconfig.base.json", include: ["src"], references });
    write(
      `${at}/src/index.ts`,
      index === 0 ? `export function ${NAME}(n: number): number {\n  return n;\n}\n` : "export {};\n",
    );
    for (let module = 0; module < MODULES_EACH; module += 1) {
      const from = index === 0 ? "./index.ts" : "@many/p0";
      write(
        `${at}/src/m${module}.ts`,
        `import { ${NAME} } from "${from}";\n\nexport const m${module}: number = ${NAME}(${module});\n`,
      );
    }
  }
  return { file: "packages/p0/src/index.ts", name: NAME, open: names.map((name) => `packages/${name}/src/m0.ts`) };
}
