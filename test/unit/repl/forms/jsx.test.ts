/** JSX that is compiled to imports which stand in no source. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { startRedefineImage, type RedefineImage } from "../redefine/redefine-project.ts";

const RUNTIME = `const flat = (all) => [all].flat(9).filter((each) => each !== undefined).join("");
exports.Fragment = (props) => flat(props.children);
exports.jsx = exports.jsxs = (type, { children, ...rest }) =>
  typeof type === "function" ? type({ children, ...rest }) : "<" + type + ">" + flat(children) + "</" + type + ">";`;
const LIST = `export function Item({ name }: { name: string }) { return <li>{name}</li> }
export const List = () => <><b>list</b><Item name="a" /><i>{1}{2}</i></>;
export const show = () => String(<List />);
`;

let t: RedefineImage;
beforeEach(() => {
  t = startRedefineImage();
  for (const name of ["mini", "other"]) {
    t.write(
      `node_modules/${name}/package.json`,
      `{ "name": "${name}", "exports": { "./jsx-runtime": "./runtime.js" } }`,
    );
    t.write(`node_modules/${name}/runtime.js`, name === "mini" ? RUNTIME : RUNTIME.replaceAll('"<"', '"<other:"'));
  }
  const options = { jsx: "react-jsx", jsxImportSource: "mini", module: "nodenext" };
  t.write("tsconfig.json", JSON.stringify({ compilerOptions: options }));
});
afterEach(() => t.dispose());

const upper = "export function Item({ name }: { name: string }) { return <li>{name.toUpperCase()}{'!'}</li> }";

it("redefines a component in a module that gets its JSX from imports, and evaluates JSX there", async () => {
  t.write("src/list.tsx", LIST);
  await t.value("import { show } from './src/list.tsx'; show()");
  await t.install("list.tsx", upper);
  expect(await t.value("show()")).toBe('"<b>list</b><li>A!</li><i>12</i>"');
  expect(await t.inModule("list.tsx", "<Item name='b' />")).toBe('"<li>B!</li>"');
});

it("follows the project's JSX in CommonJS and beside decorators", async () => {
  t.write("src/old/package.json", '{ "type": "commonjs" }');
  t.write("src/old/list.tsx", LIST);
  expect(await t.value("import { show } from './src/old/list.tsx'; show()")).toBe('"<b>list</b><li>a</li><i>12</i>"');
  await t.install("old/list.tsx", upper);
  expect(await t.value("show()")).toBe('"<b>list</b><li>A!</li><i>12</i>"');
  t.write(
    "src/marked.tsx",
    "function mark(..._: unknown[]): void {}\n@mark export class View { draw() { return <p>1</p> } }",
  );
  expect(await t.value("import { View } from './src/marked.tsx'; new View().draw()")).toBe('"<p>1</p>"');
});

it("compiles a form as its module is compiled: by the options of its folder, and by its own comments", async () => {
  const options = { jsx: "react-jsx", jsxImportSource: "other", experimentalDecorators: true };
  t.write("src/own/tsconfig.json", JSON.stringify({ compilerOptions: options }));
  t.write(
    "src/own/list.tsx",
    `${LIST}function key(_: object, name: string): void { named.push(name) }\nconst named: string[] = [];\n`,
  );
  t.write("src/said.tsx", `/** @jsxImportSource other */\n${LIST}`);
  for (const module of ["own/list.tsx", "said.tsx"]) {
    await t.value(`import { show } from './src/${module}'; show()`);
    await t.install(module, upper);
    expect(await t.value("show()")).toBe('"<other:b>list</b><other:li>A!</li><other:i>12</i>"');
  }
  expect(await t.inModule("own/list.tsx", "class Row { @key cell() {} }; named")).toBe('["cell"]');
});
