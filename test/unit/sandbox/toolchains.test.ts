/** What a walled program finds of the toolchains in a home folder, and what not. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeEachWall, startWall, walledPath, type TestWall } from "../../support/wall.ts";

let home: string;
let wall: TestWall;

function write(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
  if (text.startsWith("#!")) chmodSync(join(home, path), 0o755);
}

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "agentq-home-")));
});
afterEach(async () => {
  await wall.dispose();
  rmSync(home, { recursive: true, force: true });
});

describeEachWall("the toolchains of a home folder", (only) => {
  function start(path = ""): void {
    wall = startWall({}, { HOME: home, PATH: [join(home, path), walledPath()].join(delimiter) }, only);
  }

  it.each([".pyenv", ".nodenv", ".rbenv"])(
    "run where %s starts each program by a script of its own",
    async (manager) => {
      write(`${manager}/shims/tool`, `#!/bin/sh\nexec "${home}/${manager}/libexec/manager" tool\n`);
      write(
        `${manager}/libexec/manager`,
        `#!/bin/sh\nexec "${home}/${manager}/versions/$(cat ${home}/${manager}/version)/bin/$1"\n`,
      );
      write(`${manager}/version`, "3.1\n");
      write(`${manager}/versions/3.1/bin/tool`, "#!/bin/sh\necho version 3.1\n");
      start(`${manager}/shims`);
      expect((await wall.sh("tool")).text).toBe("version 3.1\n");
    },
  );

  it("hold the headers of Node that are there, read-only, and take others", async () => {
    write(".cache/node-gyp/24.0.0/include/node/node.h", "header");
    write(".cache/other/private", "private");
    start();
    const { text } = await wall.sh(
      "exec 2>&1; cd ~/.cache; cat node-gyp/24.0.0/include/node/node.h; ls; echo > node-gyp/24.0.0/x; mkdir node-gyp/25.0.0 && echo made",
    );
    expect(text).toMatch(/^headernode-gyp\n[^]*Read-only file system\nmade\n$/);
  });
});
