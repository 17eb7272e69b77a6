/** Prompts that people write into Markdown files, their own and those of a repository, as slash commands. */
import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { CompletionList } from "vscode-languageserver-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { blocksOf } from "../../examples/demo/model/request-body.ts";
import type { Approval } from "../../server/src/protocol/tool-shapes.ts";
import type { TurnEvent } from "../../server/src/protocol/turn-shapes.ts";
import { say } from "../support/session-stage.ts";
import type { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage();
let client: ServerClient;

beforeEach(() => void ({ client } = stage));

function write(file: string, text: string | Buffer): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const own = (name: string): string => path.join(stage.config, "agentq/commands", name);
const ofProject = (name: string): string => path.join(stage.folder, ".agentq/commands", name);

const answerIn = (events: readonly TurnEvent[]): string =>
  events.flatMap((event) => (event.kind === "commandAnswer" ? [event.text] : [])).join("\n");

const help = async (): Promise<string> => answerIn((await say(client, "/help")).events);

/** The command's turn, and the one of the prompt that follows it; answers what the model was told last. */
async function told(text: string, sessionId?: string): Promise<string> {
  const asked = stage.model.requests.length;
  const { sessionId: id } = await client.request("agentq/prompt", {
    text,
    ...(sessionId === undefined ? {} : { sessionId }),
  });
  const { turnId } = await client.waitFor(({ method, params }) =>
    method === "agentq/event" &&
    params.sessionId === id &&
    params.event.kind === "turnStarted" &&
    params.event.isCommand === undefined &&
    !seen.has(params.turnId)
      ? params
      : undefined,
  );
  seen.add(turnId);
  await client.turn(turnId);
  expect(stage.model.requests.length).toBe(asked + 1);
  last = id;
  // Before what was said stands what the server tells of the project.
  const blocks = blocksOf(stage.model.requests.at(-1)?.messages.at(-1) as never);
  return String(blocks.at(-1)?.["text"]);
}
const seen = new Set<string>();
let last = "";

async function question(after = 0): Promise<Approval> {
  let count = 0;
  return client.waitFor(({ method, params }) =>
    method === "agentq/approval" && count++ >= after ? params : undefined,
  );
}

const asked = (): number => client.received.filter(({ method }) => method === "agentq/approval").length;

async function answer(decision: "approved" | "denied", remember?: "workspace", after = 0): Promise<Approval> {
  const approval = await question(after);
  const { approvalId } = approval;
  await client.request("agentq/answerApproval", { approvalId, decision, ...(remember && { remember }) });
  return approval;
}

describe("a prompt of the person's own", () => {
  it("is said to the model with the command's words in it, and an edit of the file counts at once", async () => {
    write(
      own("review.md"),
      "---\ndescription: Reads a file closely.\nargument-hint: FILE [WHAT]\n---\nRead $1 for $2. ($ARGUMENTS)\n",
    );
    expect(await told('/review tax "rounding errors"')).toBe('Read tax for rounding errors. (tax "rounding errors")');
    expect(await help()).toContain("- `/review FILE [WHAT]` Reads a file closely. (yours)");
    write(own("review.md"), "# Look at it\n\nLook.");
    expect(await told("/review closely")).toBe("# Look at it\n\nLook.\n\nclosely");
    expect(await help()).toContain("- `/review` Look at it (yours)");
    expect(asked()).toBe(0);
  });

  it("brings along what it mentions, and its turn is a message like any other", async () => {
    write(own("tax.md"), "What does @src/tax.ts do with #billOrder?");
    expect(await told("/tax")).toMatch(/^## Context\n[\s\S]*src\/tax\.ts[\s\S]*## Request\n\nWhat does @src\/tax\.ts/);
    const { items } = await client.request("agentq/listTurns", { sessionId: last });
    expect(items.map(({ text }) => text)).toEqual(["What does @src/tax.ts do with #billOrder?"]);
  });

  it("is completed after a slash, with what it says of itself", async () => {
    write(own("review.md"), "Look closely at $ARGUMENTS.");
    const uri = "agentq://message/own";
    const textDocument = { uri, languageId: "agentq-message", version: 1, text: "/rev" };
    await client.connection.sendNotification("textDocument/didOpen", { textDocument });
    const position = { line: 0, character: 4 };
    const { items } = await client.connection.sendRequest<CompletionList>("textDocument/completion", {
      textDocument: { uri },
      position,
    });
    expect(items).toMatchObject([{ label: "/review", detail: "[WORDS] Look closely at $ARGUMENTS. (yours)" }]);
  });

  it("may stand where the person's link leads, but not among secrets", async () => {
    const dotfiles = path.join(stage.config, "dotfiles/look.md");
    write(dotfiles, "Look.");
    write(path.join(stage.config, ".ssh/key.md"), "SECRET");
    mkdirSync(path.dirname(own("x")), { recursive: true });
    symlinkSync(dotfiles, own("look.md"));
    symlinkSync(path.join(stage.config, ".ssh/key.md"), own("key.md"));
    expect(await told("/look")).toBe("Look.");
    await expect(client.request("agentq/prompt", { text: "/key" })).rejects.toThrow(/leads to where secrets are kept/);
  });
});

describe("a file that is no command", () => {
  it.each([
    ["help.md", "Something else.", "/help is the name of a command that is built in"],
    ["Help.md", "Something else.", "/Help is the name of a command that is built in"],
    ["two words.md", "Hello.", '"two words" is no name of letters, digits, _ and -'],
    ["empty.md", "---\ndescription: x\n---\n \n", "says nothing"],
    ["open.md", "---\ndescription: x\n", "begins with --- and has no second ---"],
    ["long.md", "x".repeat(32_001), "has 32001 characters, and a prompt has at most 32000"],
    ["huge.md", "x".repeat(200_000), "is larger than 125 kB, which is not read"],
    ["bytes.md", Buffer.from([0, 1, 2, 255]), "is a binary file"],
  ])("is named with the reason, and takes nothing from the others: %s", async (name, text, why) => {
    write(own(name), text);
    write(own("fine.md"), "Fine.");
    const list = await help();
    expect(list).toContain(`- ${own(name)} `);
    expect(list).toContain(why);
    expect(list).toContain("`/fine`");
    expect(list).toContain("`/help [COMMAND]` this list");
  });

  const THEIRS: Readonly<Record<string, (file: string) => void>> = {
    "is a file that others may write": (file) => chmodSync(file, 0o666),
    "lies where others may write": (file) => chmodSync(path.dirname(file), 0o777),
    "lies where others may rename the folder": (file) => chmodSync(path.dirname(path.dirname(file)), 0o777),
    ...(process.getuid?.() === 0 && { "is another user's": (file: string) => chownSync(file, 65_534, 65_534) }),
  };
  it.skipIf(process.getuid === undefined).each(Object.entries(THEIRS))(
    "is not read where it %s",
    async (_what, open) => {
      write(own("theirs.md"), "say this");
      open(own("theirs.md"));
      expect(await help()).toMatch(/theirs\.md is not read: (?:others may write into|.* belongs to another user)/);
      rmSync(own("theirs.md"));
      for (const at of [own("."), own("..")]) chmodSync(at, 0o755);
    },
  );

  it("counts as the project's where the configuration lies in it, and is asked about", async () => {
    mkdirSync(path.dirname(ofProject("x.md")), { recursive: true });
    write(path.join(stage.folder, "settings/brought.md"), "Say it.");
    mkdirSync(path.dirname(own("brought.md")), { recursive: true });
    symlinkSync(path.join(stage.folder, "settings/brought.md"), own("brought.md"));
    await client.request("agentq/prompt", { text: "/brought" });
    expect(JSON.stringify(await answer("denied"))).toContain("brought.md");
  });

  it("is refused by its name with the same reason", async () => {
    write(own("empty.md"), "\n");
    await expect(client.request("agentq/prompt", { text: "/empty" })).rejects.toMatchObject({
      code: -33010,
      message: `There is no command /empty: ${own("empty.md")} says nothing.`,
    });
  });
});

describe("a prompt of the project", () => {
  it("is said only after the person has read and trusted it, once for good and anew for another text", async () => {
    write(ofProject("ship.md"), "Ship it.\u202E");
    expect(await help()).toContain("`/ship` Ship it.<U+202E> (of the project)");
    const first = told("/ship now");
    expect(await answer("approved", "workspace")).toMatchObject({
      tool: "use-prompt",
      question: "Shall the agent be told what .agentq/commands/ship.md says?",
      arguments: { path: ".agentq/commands/ship.md", text: "Ship it.<U+202E>" },
      answers: { approved: "In this conversation", denied: "No", always: "Always" },
    });
    expect(await first).toBe("Ship it.<U+202E>\n\nnow");
    client = await stage.start();
    expect(await told("/ship")).toBe("Ship it.<U+202E>");
    expect(asked()).toBe(0);
    write(ofProject("ship.md"), "Delete it.");
    const second = told("/ship", last);
    const { why } = await answer("approved", "workspace");
    expect(why).toContain("another one than you agreed to before");
    expect(await second).toBe("Delete it.");
    const { items } = await client.request("agentq/listRemembered", {});
    expect(items.map(({ tool }) => tool)).toEqual(["use-prompt"]);
  });

  it("is not said after a No, nor where nobody can be asked, and an approval holds for its conversation alone", async () => {
    write(ofProject("ship.md"), "Ship it.");
    const turn = await client.request("agentq/prompt", { text: "/ship" });
    await answer("denied");
    const events = await client.turn(turn.turnId);
    expect(answerIn(events)).toBe(".agentq/commands/ship.md was not used: you did not agree to it.");
    expect(stage.model.requests).toHaveLength(0);
    const yes = told("/ship", turn.sessionId);
    await answer("approved", undefined, 1);
    await yes;
    await told("/ship", turn.sessionId);
    expect(asked()).toBe(2);
    const other = await client.request("agentq/prompt", { text: "/ship" });
    await answer("denied", undefined, 2);
    await client.turn(other.turnId);
  });

  it("gives way to the person's own of the same name, and a link out of the project is not read", async () => {
    write(ofProject("review.md"), "Theirs.");
    write(own("review.md"), "Mine.");
    write(path.join(stage.state, "outside.md"), "From outside.");
    symlinkSync(path.join(stage.state, "outside.md"), ofProject("out.md"));
    write(path.join(stage.folder, ".env"), "TOKEN=x");
    symlinkSync("../../.env", ofProject("token.md"));
    expect(await told("/review")).toBe("Mine.");
    const list = await help();
    expect(list).toContain(
      `.agentq/commands/review.md is no command: /review is the name of the command in ${own("review.md")}`,
    );
    expect(list).toContain(".agentq/commands/out.md is not read: it leads to where no tool goes");
    expect(list).toContain(".agentq/commands/token.md is not read: it leads to where no tool goes");
  });

  it("is not there where instructions are off, and is not asked about where they are on", async () => {
    write(ofProject("ship.md"), "Ship it.");
    client = await stage.start({ instructions: "off" });
    expect(await help()).not.toContain("/ship");
    client = await stage.start({ instructions: "on" });
    expect(await told("/ship")).toBe("Ship it.");
    expect(asked()).toBe(0);
    rmSync(ofProject("ship.md"));
    await expect(client.request("agentq/prompt", { text: "/ship" })).rejects.toThrow("There is no command /ship.");
  });
});
