import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

it("a benchmark loads the server's sources as they are, which Node itself has to understand", () => {
  const { status, stdout, stderr } = spawnSync("node", ["bench/main.ts", "--help"], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout).toContain("npm run bench");
  expect(status).toBe(0);
});
