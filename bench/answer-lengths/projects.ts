/** The projects that the tasks are about, each in a folder of its own that a task may change. */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { repository } from "../support/install.ts";
import type { Task } from "./tasks.ts";

const installed = path.join(repository, "node_modules");

const BROKEN = {
  "tsconfig.json":
    '{ "extends": "@nobody/base/tsconfig.json", "compilerOptions": { "moduleResolution": "node10", "module": "commonjs", "types": ["nothing-installed"] }, "include": ["src"] }',
  "src/a.ts":
    'import { missing } from "not-installed";\nexport interface Shape {\n  readonly sides: number;\n  area(): number;\n}\nexport function areaOf(shape: Shape): number {\n  return shape.area() + missing;\n}\n',
  "src/b.ts":
    'import { areaOf, type Shape } from "./a";\nexport class Square implements Shape {\n  readonly sides = 4;\n  area(): number {\n    return 1;\n  }\n}\nexport const total = areaOf(new Square()) + areaOf(new Square());\n',
  "other/tsconfig.json": '{ "compilerOptions": { "moduleResolution": "node10", "module": "commonjs" } }',
  "other/c.ts": "export const c = 1;\n",
};

export function writeProject(name: Task["project"], folder: string): void {
  mkdirSync(folder, { recursive: true });
  switch (name) {
    case "invoices":
      return cpSync(path.join(repository, "examples/invoices"), folder, { recursive: true });
    case "ajv":
    case "winston":
      cpSync(path.join(installed, name, "lib"), path.join(folder, "lib"), { recursive: true });
      cpSync(path.join(installed, name, "package.json"), path.join(folder, "package.json"));
      symlinkSync(installed, path.join(folder, "node_modules"));
      writeFileSync(
        path.join(folder, "tsconfig.json"),
        '{ "compilerOptions": { "strict": true, "allowJs": true, "checkJs": false, "noEmit": true, "module": "nodenext", "types": ["node"] }, "include": ["lib"] }',
      );
      return;
    case "broken":
      for (const [file, text] of Object.entries(BROKEN)) {
        const target = path.join(folder, file);
        mkdirSync(path.dirname(target), { recursive: true });
        writeFileSync(target, text);
      }
      return;
    default:
      return name satisfies never;
  }
}
