/** What passes between this process and programs in a copy of the project: nothing of it leads out of the layer. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { layerRooms, type LayerRoom } from "../../../../server/src/sandbox/runs/layer-rooms.ts";
import { describeEachWall, startWall, type TestWall } from "../../../support/wall.ts";

const { signal } = new AbortController();

describeEachWall("a room for several programs", (only) => {
  let wall: TestWall;
  let outside: string;
  let victim: string;
  beforeEach(() => {
    wall = startWall({ "a.txt": "a\n" }, {}, only);
    outside = realpathSync(mkdtempSync(join(tmpdir(), "agentq-outside-")));
    victim = join(outside, "report");
    writeFileSync(victim, "the person's\n");
  });
  afterEach(async () => {
    await wall.dispose();
    rmSync(outside, { recursive: true, force: true });
  });

  const inRoom = (use: (room: LayerRoom, sh: (script: string) => Promise<string>) => Promise<void>): Promise<void> =>
    layerRooms({ sandbox: wall.sandbox, needed: [], unsaved: async () => new Map(), ignored: async () => new Set() })(
      new Map(),
      (room) =>
        use(room, async (script) => {
          let text = "";
          const hear = (_: string, chunk: Buffer): void => void (text += chunk.toString("utf8"));
          const end = await room.run({ command: ["sh", "-c", script], folder: wall.root }, hear, signal);
          expect(end, text).toMatchObject({ kind: "ended", code: 0 });
          return text;
        }),
    );

  it("shows nothing that a run left to a later one, where runners keep what they translated or anywhere else", async () => {
    const user = process.getuid?.() ?? 0;
    const kept = [`/tmp/jest_${user.toString(36)}`, `/tmp/tsx-${user}`, "/tmp/node-compile-cache", "/tmp/other"];
    const places = [...kept, "~/.cache/x", "node_modules/.cache/x", "node_modules/.vite/x", "/dev/shm/x"].join(" ");
    await inRoom(async (_, sh) => void (await sh(`for at in ${places}; do mkdir -p $at; echo forged > $at/map; done`)));
    await inRoom(async (_, sh) =>
      expect(await sh(`for at in ${places}; do cat $at/map 2>/dev/null; done; echo end`)).toBe("end\n"),
    );
  });

  it("hands texts to programs and takes what they leave", () =>
    inRoom(async (room, sh) => {
      const path = await room.hand("request", "asked\n");
      expect(await sh(`cat ${path}; echo answered > ${room.pathOf("report")}`)).toBe("asked\n");
      expect(await room.left("report")).toBe("answered\n");
      expect(await room.left("another")).toBeUndefined();
    }));

  it("reads no report where a link, a pipe or a folder stands in its place", () =>
    inRoom(async (room, sh) => {
      await room.hand("request", "");
      const report = room.pathOf("report");
      for (const forged of [`ln -s ${victim}`, "mkfifo", "mkdir", `ln -s ${room.pathOf("report")}`]) {
        await sh(`rm -rf ${report}; ${forged} ${report}`);
        expect(await room.left("report"), forged).toBeUndefined();
      }
      await sh(`rm -rf /tmp/agentq; ln -s ${outside} /tmp/agentq`);
      expect(await room.left("report")).toBeUndefined();
    }));

  it("writes through no link that a program left for the next text", () =>
    inRoom(async (room, sh) => {
      await room.hand("first", "");
      await sh(`ln -s ${victim} ${room.pathOf("report")}`);
      expect(await sh(`cat ${await room.hand("report", "handed\n")}`)).toBe("handed\n");
      await sh(`rm -rf /tmp/agentq; ln -s ${outside} /tmp/agentq`);
      expect(await sh(`cat ${await room.hand("report", "again\n")}`)).toBe("again\n");
      expect(readFileSync(victim, "utf8")).toBe("the person's\n");
    }));
});
