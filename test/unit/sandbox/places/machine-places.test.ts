/** What people keep where programs are installed is no program. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keptBesidePrograms } from "../../../../server/src/sandbox/places/machine-places.ts";
import { describeEachWall, startWall } from "../../../support/wall.ts";

let opt: string;
beforeEach(() => (opt = realpathSync(mkdtempSync(join(tmpdir(), "agentq-opt-")))));
afterEach(() => rmSync(opt, { recursive: true, force: true }));

function write(path: string, text = ""): void {
  mkdirSync(dirname(join(opt, path)), { recursive: true });
  writeFileSync(join(opt, path), text);
}

describe("places where programs are installed", () => {
  it("show no project of a person's and no secret, and whole installations", async () => {
    for (const file of ["project/.git/HEAD", "project/src/a.ts", "tool/.git/HEAD", "linked/.git/HEAD", "linked/run"])
      write(file);
    for (const file of ["app/.env", "app/.ssh/id_rsa", "app/.docker/config.json", "app/config.json", "tool/bin/x"])
      write(file);
    for (const file of ["app/node_modules/p/.env", "lib/site-packages/certifi/cacert.pem"]) write(file);
    write("ssl/cert.pem", "-----BEGIN CERTIFICATE-----");
    write("ssl/server.pem", "-----BEGIN RSA PRIVATE KEY-----");
    mkdirSync(join(opt, "bin"));
    symlinkSync(join(opt, "linked/run"), join(opt, "bin/run"));
    const path = `${join(opt, "tool/bin")}:${join(opt, "bin")}:/gone:relative`;
    expect((await keptBesidePrograms(path, [opt, "/gone"])).toSorted()).toEqual(
      ["app/.docker/config.json", "app/.env", "app/.ssh", "project", "ssl/server.pem"].map((name) => join(opt, name)),
    );
    expect(await keptBesidePrograms(path, ["/gone"])).toEqual([]);
  });
});

describeEachWall("a command", (only) => {
  it.skipIf(process.getuid?.() !== 0)(
    "finds neither a secret nor another project where programs are installed",
    async () => {
      // The folder stays until all tests have ended: another test may be making a wall over what is there.
      const there = process.env["AGENTQ_TEST_OPT"] ?? "";
      for (const folder of ["other/.git", "own/.git", "tool"]) mkdirSync(join(there, folder), { recursive: true });
      for (const file of ["other/a.ts", "tool/.env", "tool/program"])
        writeFileSync(join(there, file), `CANARY of ${file}\n`);
      const t = startWall({ "a.txt": "one\n" }, {}, only);
      try {
        const { text } = await t.sh(`cat ${there}/*/* ${there}/*/.env; ls ${there}`);
        expect(text.match(/CANARY.*/g)).toEqual(["CANARY of tool/program"]);
        expect(text).toMatch(/other\nown\ntool\n$/);
      } finally {
        await t.dispose();
      }
    },
  );
});
