/** Modules that import each other in a circle, after an edit of one of them. */
import { beforeEach, expect, it } from "vitest";
import { shareImage } from "../share-image.ts";
import type { TestImage } from "../with-image.ts";

const shared = shareImage();
let t: TestImage;
beforeEach(() => {
  t = shared();
  t.write(
    "src/main.ts",
    "globalThis.runs = (globalThis.runs ?? 0) + 1;\nimport './before.ts';\nimport { links } from './links.ts';\nexport const main = links;\n",
  );
  t.write("src/before.ts", "export const before = 1;\n");
  t.write(
    "src/links.ts",
    "import { home } from './home.ts';\nimport { users } from './users.ts';\nexport const links = { home, users };\n",
  );
  t.write("src/home.ts", page("home", 1));
  t.write("src/users.ts", page("users", 1));
  t.write("src/other.ts", "import { home } from './home.ts';\nexport const other = home;\n");
});

const page = (name: string, version: number): string =>
  `import { links } from './links.ts';\nexport class Page { get links() { return Object.keys(links) } version = ${version} }\nexport const ${name} = new Page();\n`;

const show = (name: string): string =>
  `import { ${name} } from './src/${name}.ts'; [${name}.version, ${name}.links.length]`;

it.for(["home", "users", "other"])("is loaded in the order of the first time when %s is asked for", async (asked) => {
  await t.value(
    "import { main } from './src/main.ts'; import { other } from './src/other.ts'; globalThis.runs = 0; main.home.version",
  );
  for (const [edited, version] of [
    ["home", 2],
    ["users", 3],
    ["links", 4],
    ["home", 5],
  ] as const) {
    if (edited !== "links") t.write(`src/${edited}.ts`, page(edited, version));
    else
      t.write(
        "src/links.ts",
        "import { home } from './home.ts';\nimport { users } from './users.ts';\n// edited\nexport const links = { home, users };\n",
      );
    expect(await t.value(show(asked))).toMatch(/^\[\d, 2\]$/);
    expect(await t.value("globalThis.runs")).toBe("0");
  }
  expect(await t.value("import { home } from './src/home.ts'; home.version")).toBe("5");
  expect(await t.value("import { main } from './src/main.ts'; [main.home.version, main.users.version]")).toBe("[5, 3]");
});

it("is loaded in that order for a form in the scope of one of them", async () => {
  await t.value("import { main } from './src/main.ts'; main.home.version");
  t.write("src/home.ts", page("home", 2));
  expect(await t.value("[users.links.length, links.home.version]", { module: `${t.root}/src/users.ts` })).toBe(
    "[2, 2]",
  );
});

it("keeps no order that failed", async () => {
  expect((await t.evaluate("import { home } from './src/home.ts'")).error?.message).toContain("before initialization");
  expect(await t.value("import { main } from './src/main.ts'; main.home.version")).toBe("1");
  t.write("src/home.ts", page("home", 2));
  expect(await t.value(show("home"))).toBe("[2, 2]");
});

it("tells an error of what it loads first", async () => {
  await t.value("import { main } from './src/main.ts'; main.home.version");
  t.write("src/home.ts", "import './links.ts';\nthrow new Error('no home');\nexport const home = 1;");
  expect((await t.evaluate("import { users } from './src/users.ts'")).error?.message).toBe("no home");
  t.write("src/home.ts", page("home", 3));
  expect(await t.value("import { users } from './src/users.ts'; users.links.length")).toBe("2");
});

it("is the same for CommonJS", async () => {
  t.write("src/package.json", "{}");
  for (const name of ["links", "home", "users", "main"]) {
    const text = (version: number): string => `exports.version = ${version};\n`;
    const needs = { main: ["links"], links: ["home", "users"], home: ["links"], users: ["links"] }[name] ?? [];
    t.write(
      `src/c/${name}.cjs`,
      `${needs.map((each) => `const ${each} = require('./${each}.cjs');\n`).join("")}${text(1)}`,
    );
  }
  t.write("src/c/links.cjs", "exports.all = [require('./home.cjs').version, require('./users.cjs').version];\n");
  t.write(
    "src/c/home.cjs",
    "const links = require('./links.cjs');\nexports.version = 1;\nexports.all = () => links.all;\n",
  );
  await t.value("import './src/c/main.cjs'");
  t.write(
    "src/c/home.cjs",
    "const links = require('./links.cjs');\nexports.version = 2;\nexports.all = () => links.all;\n",
  );
  expect(await t.value("import home from './src/c/home.cjs'; home.all()")).toBe("[2, 1]");
});
