import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sourceForSuite } from "../../../scripts/debian/mirror.ts";

let etc: string;

beforeEach(() => {
  etc = mkdtempSync(join(tmpdir(), "agentq-apt-"));
  mkdirSync(join(etc, "sources.list.d"));
});

afterEach(() => {
  rmSync(etc, { recursive: true });
});

describe("the apt source for another suite", () => {
  it("keeps mirror and key of a deb822 source", () => {
    const stanzas = [
      "Types: deb\nURIs: http://mirror.test/other\nSuites: jammy\nComponents: main",
      "Enabled: no\nTypes: deb\nURIs: http://mirror.test/off\nSuites: bookworm\nComponents: main",
      "Types: deb deb-src\n# a comment\nURIs: http://mirror.test/debian\nSuites: bookworm bookworm-updates\nComponents: main contrib\nSigned-By: /keys/debian.gpg",
    ];
    writeFileSync(join(etc, "sources.list.d/debian.sources"), stanzas.join("\n\n"));
    expect(sourceForSuite("sid", etc)).toEqual({
      name: "debian.sources",
      text: "Types: deb\nURIs: http://mirror.test/debian\nSuites: sid\nComponents: main\nSigned-By: /keys/debian.gpg\n",
    });
  });

  it("keeps mirror and options of a one-line source", () => {
    const lines = [
      "# deb http://mirror.test/old bookworm main",
      "deb [trusted=yes] http://mirror.test/debian bookworm main",
    ];
    writeFileSync(join(etc, "sources.list"), lines.join("\n"));
    expect(sourceForSuite("trixie", etc)?.text).toBe("deb [trusted=yes] http://mirror.test/debian trixie main\n");
  });

  it("is absent where apt knows no Debian release", () => {
    writeFileSync(join(etc, "sources.list"), "deb http://mirror.test/ubuntu noble main\n");
    expect(sourceForSuite("sid", etc)).toBeUndefined();
  });
});
