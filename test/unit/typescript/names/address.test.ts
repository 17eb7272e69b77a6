import { describe, expect, it } from "vitest";
import { formatAddress, parseAddress } from "../../../../server/src/typescript/names/address.ts";

describe("an address", () => {
  it.each([
    ["add", { module: undefined, path: "add", overload: undefined }],
    ["Outer.member", { module: undefined, path: "Outer.member", overload: undefined }],
    ["Outer.prototype.member()", { module: undefined, path: "Outer.member", overload: undefined }],
    ["src/a.ts#Outer.member", { module: "src/a.ts", path: "Outer.member", overload: undefined }],
    ["@scope/pkg#Export", { module: "@scope/pkg", path: "Export", overload: undefined }],
    ["add#2", { module: undefined, path: "add", overload: 2 }],
    ["src/a.ts#add#2", { module: "src/a.ts", path: "add", overload: 2 }],
    ["Counter.#count", { module: undefined, path: "Counter.#count", overload: undefined }],
    ["src/a.ts#Counter.#count", { module: "src/a.ts", path: "Counter.#count", overload: undefined }],
    ["src/a.ts", { module: "src/a.ts", path: "", overload: undefined }],
    ["src/a.ts#Outer#member", { module: "src/a.ts", path: "Outer.member", overload: undefined }],
    ["src/my file #1.ts#add", { module: "src/my file #1.ts", path: "add", overload: undefined }],
    ["src/my file #1.ts", { module: "src/my file #1.ts", path: "", overload: undefined }],
    ["app/(group)/page.tsx#default", { module: "app/(group)/page.tsx", path: "default", overload: undefined }],
    ["new Counter(1)", { module: undefined, path: "Counter", overload: undefined }],
    ["export abstract class Counter", { module: undefined, path: "Counter", overload: undefined }],
    ["add(a: number, b: number)", { module: undefined, path: "add", overload: undefined }],
    ["Map<string, Array<number>>", { module: undefined, path: "Map", overload: undefined }],
    ["Array<string>.map", { module: undefined, path: "Array.map", overload: undefined }],
    ["`add`", { module: undefined, path: "add", overload: undefined }],
    ["type", { module: undefined, path: "type", overload: undefined }],
    ['"a<b>"', { module: undefined, path: '"a<b>"', overload: undefined }],
  ])("%s is read into its parts", (text, parts) => {
    expect(parseAddress(text)).toEqual(parts);
  });

  it.each(["src/a.ts#Outer.member", "src/a.ts#add#2", "pkg#Export", "src/a.ts#Counter.#count"])(
    "%s is written as it was read",
    (text) => {
      const { module = "", path, overload } = parseAddress(text);
      expect(formatAddress(module, path, overload)).toBe(text);
    },
  );
});
