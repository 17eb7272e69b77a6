/** A CommonJS package of a workspace, used by ES modules and by CommonJS, that is changed while they hold it. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { startProgram, type Program } from "./with-program.ts";

const files = {
  "package.json": '{ "name": "shop", "private": true, "type": "module", "workspaces": ["packages/*"] }\n',
  "packages/rates/package.json": '{ "name": "rates", "version": "1.0.0", "type": "commonjs", "main": "index.js" }\n',
  "packages/rates/index.js": `"use strict";
const { round } = require("./round");
let asked = 0;
function rate(country) {
  asked += 1;
  return round(percent(country));
}
function percent(country) {
  return country === "de" ? 19.04 : 20.04;
}
class Rate {
  constructor(country) { this.country = country; }
  show() { return this.country + " " + rate(this.country); }
}
exports.rate = rate;
exports.Rate = Rate;
exports.asked = () => asked;
`,
  "packages/rates/round.js": "exports.round = function round(value) { return Math.round(value); };\n",
  "src/whole.ts":
    "import rates from 'rates';\nexport const whole = (c: string) => rates.rate(c);\nexport const german = new rates.Rate('de');\n",
  "src/named.ts": "import { rate } from 'rates';\nexport const named = (c: string) => rate(c);\n",
  "src/captured.ts":
    "import rates from 'rates';\nconst captured = rates.rate;\nexport const kept = (c: string) => captured(c);\n",
  "src/whole.cjs": "const rates = require('rates');\nexports.required = (c) => rates.rate(c);\n",
  "src/part.cjs": "const { rate } = require('rates');\nexports.destructured = (c) => rate(c);\n",
};

const IMPORTS = `
  import { whole, german } from './src/whole.ts'; import { named } from './src/named.ts'; import { kept } from './src/captured.ts';
  import { required } from './src/whole.cjs'; import { destructured } from './src/part.cjs'; import { asked } from 'rates';`;
const EVERYBODY =
  "({ whole: whole('de'), named: named('de'), kept: kept('de'), required: required('de'), destructured: destructured('de') })";

let program: Program;
beforeAll(async () => {
  program = startProgram({ files, links: { "node_modules/rates": "packages/rates" } });
  await program.value(IMPORTS);
});
afterAll(() => program.dispose());

it("shows a changed inner function to everybody: they all call the package's own code", async () => {
  expect(await program.value(EVERYBODY)).toBe("{ whole: 19, named: 19, kept: 19, required: 19, destructured: 19 }");
  const [report] = await program.install(
    "function percent(country) { return country.length * 8 }",
    "packages/rates/index.js",
  );
  expect(await program.value(EVERYBODY)).toBe("{ whole: 16, named: 16, kept: 16, required: 16, destructured: 16 }");
  expect({ name: report?.name, copies: report?.copies, holders: report?.holders ?? [] }).toEqual({
    name: "percent",
    copies: [],
    holders: [],
  });
});

it("shows a changed export to those who ask the package for it, and names the ones who keep the old", async () => {
  const [report] = await program.install(
    "function rate(country) { asked += 1; return -percent(country) }",
    "packages/rates/index.js",
  );
  expect(await program.value(EVERYBODY)).toBe("{ whole: -16, named: 16, kept: 16, required: -16, destructured: 16 }");
  expect(report?.patched).toEqual(["module.exports.rate"]);
  expect(report?.copies.map(({ path, why }) => `${path} ${why}`).toSorted()).toEqual([
    "src/named.ts importsCommonJs",
    "src/part.cjs destructuredRequire",
  ]);
  expect(report?.holders?.map(({ path, what }) => `${path} ${what}`)).toEqual(["src/captured.ts captured"]);
});

it("keeps the package's state and its instances through a changed class", async () => {
  await program.value("const before = asked()");
  const form =
    "class Rate { constructor(country) { this.country = country } show() { return 'rate of ' + this.country } }";
  await program.install(form, "packages/rates/index.js");
  expect(await program.value("[german.show(), before > 0, asked() === before]")).toBe('["rate of de", true, true]');
});
