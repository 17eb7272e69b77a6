/**
 * Attempts to get past what a person decides, past the walls around the workspace and past the person's own rules: each with
 * what its caller hears and with the line that it leaves in the audit log. None reads, writes, moves or deletes anything.
 */
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyOnDisk } from "../support/apply-on-disk.ts";
import { runsAll } from "../support/extent.ts";
import { GUARDED, MODES, PWNED, Stage, type Mode } from "./slip-past-stage.ts";

interface Attempt {
  readonly title: string;
  /** Makes the attempt and answers what its caller hears. */
  readonly make: (stage: Stage) => Promise<string>;
  readonly told: RegExp;
  /** One of the new lines: caller, tool or request, outcome, decision, detail, hunks. */
  readonly audit: RegExp;
}

const OUTSIDE = /is outside the workspace|a path of Windows, outside/;
const SECRET = /may hold secrets; tools never read or write it/;
const GIT = /is inside \.git, which tools never touch/;
const edit = { original: "export const a = 1;", modified: `export const a = "${PWNED}";` };
const replaceA = { op: "replace", path: "src/a.ts", ...edit };

/** A path that no tool may touch, tried by reading it and by creating it. */
function byPath(what: string, name: string | ((stage: Stage) => string), told: RegExp): Attempt[] {
  const of = (stage: Stage): string => (typeof name === "string" ? name : name(stage));
  return [
    {
      title: `reads ${what}`,
      make: (stage) => stage.agent("read_file", { path: of(stage) }),
      told,
      audit: new RegExp(`^model read_file failed .*(?:${told.source})`, "s"),
    },
    {
      title: `creates ${what}`,
      make: (stage) =>
        stage.agent("propose_edits", {
          description: "d",
          edits: [{ op: "create", path: of(stage), modified: PWNED }],
        }),
      told,
      audit: new RegExp(`^model propose_edits failed .*(?:${told.source})`, "s"),
    },
  ];
}

/** A call that is refused before anybody is asked. */
function byCall(title: string, name: string, args: object | ((stage: Stage) => object), told: RegExp): Attempt {
  return {
    title,
    make: (stage) => stage.agent(name, typeof args === "function" ? args(stage) : args),
    told,
    audit: new RegExp(`model ${name} (?:failed|denied|invalid|unknown|unavailable) .*(?:${told.source})`, "s"),
  };
}

/** The project changes while the person looks at the proposal; then they accept it. */
function bySwapBefore(title: string, edits: object, swap: (stage: Stage) => void, why: RegExp): Attempt {
  return {
    title: `${title}, before it is accepted`,
    make: async (stage) => {
      const { answer, proposal } = await stage.proposes(edits);
      swap(stage);
      const { edit: composed, conflicts } = await stage.decide(proposal);
      expect(composed).toBe(null);
      expect(conflicts).toEqual(proposal.hunks.map(({ id }) => id));
      await stage.rejectRest(proposal);
      return answer;
    },
    told: why,
    audit: new RegExp(`person agentq/decide failed h1 cannot be applied: .*(?:${why.source})`),
  };
}

/** The project changes after the editor has applied what was accepted, and the editor says that all is well. */
function bySwapAfter(title: string, swap: (stage: Stage) => void): Attempt {
  return {
    title: `${title}, after it was accepted`,
    make: async (stage) => {
      const { answer, proposal } = await stage.proposes({ ...replaceA, modified: "export const a = 9;" });
      applyOnDisk((await stage.decide(proposal)).edit);
      swap(stage);
      const { proposalId } = proposal;
      const told = await stage.says("agentq/didApply", { proposalId, documents: [] });
      expect(told).toContain('"verified":false');
      await stage.rejectRest(proposal);
      return answer;
    },
    told: /^(?:UNCERTAIN: 0|NOT APPLIED: none) of 1 hunks/,
    audit: /person agentq\/didApply failed What was approved does not stand/,
  };
}

/** What a client says about a proposal whose one hunk the person has not decided; then the person rejects it. */
function byWord(title: string, method: string, params: (id: string, stage: Stage) => object, told: RegExp): Attempt {
  return {
    title,
    make: async (stage) => {
      const { answer, proposal } = await stage.proposes(replaceA);
      const heard = await stage.says(method, params(proposal.proposalId, stage));
      const { state } = await stage.client.request("agentq/openProposal", { proposalId: proposal.proposalId });
      expect(state).toBe("pending");
      await stage.decide(proposal, "reject");
      expect(await answer).toContain("NOT APPLIED");
      return heard;
    },
    told,
    audit: new RegExp(`person ${method} (?:invalid|failed) `),
  };
}

const swapForLink = (file: string, target: string) => (stage: Stage) => {
  rmSync(stage.at(file), { recursive: true });
  symlinkSync(target, stage.at(file));
};
const accepts = (proposalId: string, id = "h1"): object => ({ proposalId, hunks: [{ id, decision: "accept" }] });

const paths: readonly Attempt[] = [
  ...byPath("a file by ..", "../outside/victim.txt", OUTSIDE),
  ...byPath("a file by .. in the middle", "src/dir/../../../outside/victim.txt", OUTSIDE),
  ...byPath("a file by its absolute path", (stage) => stage.outside("victim.txt"), OUTSIDE),
  ...byPath("a file by a doubled slash", (stage) => `/${stage.outside("victim.txt")}`, OUTSIDE),
  ...byPath("a file behind a folder that is a link", "src/out/victim.txt", OUTSIDE),
  ...byPath("a file that is a link", "victim.txt", OUTSIDE),
  ...byPath("a link to what is not there yet", "hanging.txt", OUTSIDE),
  ...byPath("a link to such a link", "chain.txt", OUTSIDE),
  ...byPath("a new file behind such a folder", "src/out/deep/new.ts", OUTSIDE),
  ...byPath("a file by its URI", (stage) => `file://${stage.outside("victim.txt")}`, OUTSIDE),
  ...byPath("a URI with escaped dots", (stage) => `file://${stage.folder}/%2e%2e/outside/victim.txt`, OUTSIDE),
  ...byPath("a URI with escaped slashes", (stage) => `file://${stage.folder}%2f..%2foutside%2fvictim.txt`, OUTSIDE),
  ...byPath("a URI of another host", "file://server/share/victim.txt", OUTSIDE),
  ...byPath("a URI in capital letters", "FILE:///etc/passwd", /is not a file path/),
  ...byPath("a URI of another scheme", "https://example.com/a.ts", /is not a file path/),
  ...byPath("a share of Windows", "\\\\server\\share\\victim.txt", OUTSIDE),
  ...byPath("a drive of Windows", "C:\\Users\\victim.txt", OUTSIDE),
  ...byPath("a file of /proc", "/proc/self/environ", OUTSIDE),
  ...byPath("a name with NUL", "src/a.ts\0.png", /contains a NUL character/),
  ...byPath("a URI with an escaped NUL", (stage) => `file://${stage.folder}/src/a.ts%00.png`, /Nobody can say where/),
  ...byPath("a name that is too long", `src/${"x".repeat(5_000)}.ts`, /has more than 255 characters/),
  ...byPath("a path that is too long", "deep/".repeat(2_000) + "a.ts", /Nobody can say where/),
  ...byPath("a secret", ".env", SECRET),
  ...byPath("a secret in capital letters", "src/.ENV.Local", SECRET),
  ...byPath("a secret by a link with a harmless name", "notes.txt", SECRET),
  ...byPath("a secret by its stream on Windows", ".env::$DATA", SECRET),
  ...byPath("a key with a dot that Windows cuts off", "deploy/id_rsa.", SECRET),
  ...byPath("a key in letters that macOS does not tell apart", "id_r\u017Fa", SECRET),
  ...byPath("what is in a folder of keys", ".ssh/config", SECRET),
  ...byPath("git's settings", ".git/config", GIT),
  ...byPath("git's settings in another case", ".GIT/config", GIT),
  ...byPath("git's hooks by a character that macOS does not see", ".g\u200Cit/hooks/pre-commit", GIT),
  ...byPath("git's settings by the short name of Windows", "GIT~1/config", GIT),
  ...byPath(
    "a name that reads backwards",
    "src/\u202Egpj.ts",
    /characters? that readers do not see or misread: U\+202E/,
  ),
  ...byPath("a name with a line break", "src/new\nline.ts", /misread: U\+000A/),
  ...byPath("a new name with backslashes", "src\\..\\..\\outside\\victim.txt", /name it with forward slashes/),
];

const files: readonly Attempt[] = [
  byCall(
    "reads by .. behind a link",
    "read_file",
    { path: "src/out/../outside/victim.txt" },
    /src\/outside\/victim\.txt does not exist/,
  ),
  {
    title: "edits a named pipe",
    make: async (stage) => {
      execFileSync("mkfifo", [stage.at("src/pipe.ts")]);
      return stage.agent("propose_edits", { description: "d", edits: [{ ...replaceA, path: "src/pipe.ts" }] });
    },
    told: /is a named pipe, not a regular file/,
    audit: /model propose_edits failed .*named pipe/s,
  },
  {
    title: "edits a file that has another name outside, and keeps quiet about it",
    make: async (stage) => {
      rmSync(stage.at("src/a.ts"));
      linkSync(stage.outside("a.ts"), stage.at("src/a.ts"));
      const { answer, proposal } = await stage.proposes(replaceA);
      await stage.decide(proposal, "reject");
      await answer;
      return proposal.why;
    },
    told: /^Because\.? src\/a\.ts has another name, a hard link: editing it may change what stands there too\.$/,
    audit: /model propose_edits run .*\[src\/a\.ts:1: rejected\]/,
  },
  byCall("edits a folder", "propose_edits", { description: "d", edits: [{ ...replaceA, path: "src" }] }, /is a folder/),
  byCall(
    "hides a bad edit behind good ones",
    "propose_edits",
    { description: "d", edits: [replaceA, { op: "create", path: "../outside/b.ts", modified: PWNED }] },
    /none of the 2 edits is proposed/,
  ),
  byCall("moves a file out", "move_file", { path: "src/a.ts", to: "../outside/moved.ts" }, OUTSIDE),
  byCall("moves a file through a link", "move_file", { path: "src/a.ts", to: "src/out/moved.ts" }, OUTSIDE),
  byCall("moves a file over git's settings", "move_file", { path: "src/a.ts", to: ".git/config" }, GIT),
  byCall("moves a secret to a name that is none", "move_file", { path: ".env", to: "env.txt" }, SECRET),
  byCall("moves a folder onto a name of keys", "move_file", { path: "src/dir", to: ".ssh" }, SECRET),
  byCall("deletes what a link leads to", "delete_file", { path: "victim.txt" }, OUTSIDE),
  byCall("deletes behind a link", "delete_file", { path: "src/out/victim.txt" }, OUTSIDE),
  byCall("deletes a folder that is a link", "delete_file", { path: "src/out" }, OUTSIDE),
  byCall("deletes a folder with links in it", "delete_file", { path: "src" }, /holds 2 links or special files/),
  byCall(
    "deletes the workspace",
    "delete_file",
    { path: "." },
    /cannot be moved or deleted|holds|may hold secrets|inside \.git/,
  ),
  ...Object.entries({
    write_file: { path: "src/out/victim.txt", content: PWNED },
    create_file: { path: "hanging.txt", content: PWNED },
    edit_file: { path: "victim.txt", old: "KEY", new: PWNED },
    insert_at_line: { path: "src/out/victim.txt", line: 1, content: PWNED },
    write_to_buffer: { path: "src/out/victim.txt", content: PWNED },
    propose_file_edit: { path: "chain.txt", modified: PWNED, description: "d" },
  }).map(([name, args]) => byCall(`uses ${name} on a link that leads out`, name, args, OUTSIDE)),
  byCall(
    "replaces a symbol behind a link",
    "propose_edits",
    { description: "d", edits: [{ op: "replace_symbol", symbol: "src/out/secrets.ts#KEY", modified: PWNED }] },
    /NOT PROPOSED/,
  ),
  byCall(
    "tries an edit outside",
    "try_edit",
    { edits: [{ path: "../outside/a.ts", modified: PWNED }], form: "1" },
    OUTSIDE,
  ),
  byCall("tries an edit of a secret", "try_edit", { edits: [{ path: ".env", modified: PWNED }], form: "1" }, SECRET),
  byCall("runs tests with an edit of a secret", "run_tests", { edits: [{ path: ".env", modified: PWNED }] }, SECRET),
];

const swaps: readonly Attempt[] = [
  bySwapBefore(
    "the file becomes a link to the same text outside",
    replaceA,
    swapForLink("src/a.ts", "../../outside/a.ts"),
    OUTSIDE,
  ),
  bySwapBefore("the file becomes a link to a secret", replaceA, swapForLink("src/a.ts", "../.env"), SECRET),
  bySwapBefore(
    "the file becomes a link to another file",
    replaceA,
    swapForLink("src/a.ts", "b.ts"),
    /leads to another file now/,
  ),
  bySwapBefore("the file becomes a link to itself", replaceA, swapForLink("src/a.ts", "a.ts"), /Nobody can say where/),
  {
    title: "the file becomes a folder, before it is accepted",
    make: async (stage) => {
      const { answer, proposal } = await stage.proposes(replaceA);
      rmSync(stage.at("src/a.ts"));
      mkdirSync(stage.at("src/a.ts"));
      expect(await stage.says("agentq/decide", accepts(proposal.proposalId))).toContain("src/a.ts is a folder");
      await stage.decide(proposal, "reject");
      return answer;
    },
    told: /NOT APPLIED/,
    audit: /person agentq\/decide invalid .*src\/a\.ts is a folder/,
  },
  bySwapBefore(
    "the folder becomes a link that leads out",
    { op: "create", path: "src/dir/victim.txt", modified: PWNED },
    swapForLink("src/dir", "../../outside"),
    OUTSIDE,
  ),
  bySwapBefore(
    "the new file's name becomes a link to what is not there yet",
    { op: "create", path: "src/new.ts", modified: PWNED },
    (stage) => symlinkSync("../../outside/made.txt", stage.at("src/new.ts")),
    OUTSIDE,
  ),
  bySwapBefore(
    "the folder to which a file moves becomes a link that leads out",
    { op: "move", path: "test/stack.test.ts", to: "src/dir/stack.test.ts" },
    swapForLink("src/dir", "../../outside"),
    OUTSIDE,
  ),
  bySwapBefore(
    "the folder of a file that is to be deleted becomes a link that leads out",
    { op: "delete", path: "src/dir/c.ts" },
    (stage) => {
      renameSync(stage.at("src/dir"), stage.outside("dir"));
      symlinkSync("../../outside/dir", stage.at("src/dir"));
    },
    OUTSIDE,
  ),
  bySwapAfter("the file becomes a link to the same text outside", (stage) => {
    renameSync(stage.at("src/a.ts"), stage.outside("b.ts"));
    symlinkSync("../../outside/b.ts", stage.at("src/a.ts"));
  }),
  bySwapAfter("the file becomes a folder", (stage) => {
    rmSync(stage.at("src/a.ts"));
    mkdirSync(stage.at("src/a.ts"));
  }),
  bySwapAfter("the folder above becomes a link that leads out", (stage) => {
    renameSync(stage.at("src"), stage.outside("src"));
    symlinkSync("../outside/src", stage.at("src"));
  }),
];

/** Links come and go between two questions: what the compiler reads behind them is outside, whatever was there before. */
const turns: readonly Attempt[] = [
  {
    title: "asks about a file of a folder that becomes a link to the same folder outside",
    make: async (stage) => {
      const ask = (): Promise<string> => stage.agent("read_symbol", { symbols: ["src/dir/c.ts#c", "src/a.ts#a"] });
      expect(await ask()).toContain("export const c = 3;");
      renameSync(stage.at("src/dir"), stage.outside("dir"));
      symlinkSync("../../outside/dir", stage.at("src/dir"));
      const first = await ask();
      writeFileSync(stage.outside("dir/c.ts"), 'export const c = "CANARY_moved";\n');
      return [first, await ask()].join("\n");
    },
    told: /^(?!.*export const c).*export const a = 1;/s,
    audit: /model read_symbol (?:run|failed)/,
  },
];

const lies: readonly Attempt[] = [
  byWord(
    "says that it applied what nobody decided",
    "agentq/didApply",
    (proposalId) => ({ proposalId, documents: [] }),
    /"verified":false/,
  ),
  byWord(
    "says so of a proposal that there is not",
    "agentq/didApply",
    () => ({ proposalId: "constructor", documents: [] }),
    /There is no proposal/,
  ),
  byWord("accepts a hunk that there is not", "agentq/decide", (id) => accepts(id, "h2"), /has no hunk "h2"/),
  byWord("accepts a hunk by a name of every object", "agentq/decide", (id) => accepts(id, "__proto__"), /has no hunk/),
  byWord("accepts in a proposal that there is not", "agentq/decide", () => accepts("toString"), /There is no proposal/),
  byWord(
    "accepts in the name of another conversation",
    "agentq/decide",
    (id) => ({ ...accepts(id), sessionId: "other" }),
    /sessionId/,
  ),
  byWord(
    "decides with a word that is none",
    "agentq/decide",
    (id) => ({ proposalId: id, hunks: [{ id: "h1", decision: "approve" }] }),
    /\/hunks\/0\/decision/,
  ),
  byWord(
    "edits without a text",
    "agentq/decide",
    (id) => ({ proposalId: id, hunks: [{ id: "h1", decision: "edit" }] }),
    /text with decision edit/,
  ),
  byWord(
    "accepts and rejects one hunk at once",
    "agentq/decide",
    (id) => ({ proposalId: id, hunks: ["reject", "accept"].map((decision) => ({ id: "h1", decision })) }),
    /already decided/,
  ),
  byWord(
    "asks to undo what was never applied",
    "agentq/undoProposal",
    (id) => ({ proposalId: id, hunkIds: ["h7"] }),
    /h7/,
  ),
  {
    title: "accepts a hunk of another proposal",
    make: async (stage) => {
      const one = await stage.proposes(replaceA);
      const two = await stage.proposes(
        { op: "insert_at_start", path: "src/b.ts", modified: `// ${PWNED}` },
        { op: "insert_at_end", path: "src/b.ts", modified: `// ${PWNED}` },
      );
      const heard = await stage.says("agentq/decide", accepts(one.proposal.proposalId, "h2"));
      for (const { proposal } of [one, two]) await stage.decide(proposal, "reject");
      expect(await two.answer).toContain("NOT APPLIED");
      return heard;
    },
    told: /has no hunk "h2"/,
    audit: /person agentq\/decide invalid .*has no hunk "h2"/,
  },
  {
    title: "accepts a hunk three times at the same moment, after it was rejected",
    make: async (stage) => {
      const { answer, proposal } = await stage.proposes(replaceA);
      await stage.decide(proposal, "reject");
      const heard = await Promise.all([1, 2, 3].map(() => stage.says("agentq/decide", accepts(proposal.proposalId))));
      expect(await answer).toContain("NOT APPLIED");
      return heard.join("\n");
    },
    told: /^(?:REFUSED .*already rejected\.\n?){3}$/,
    audit: /person agentq\/decide invalid .*is already rejected/,
  },
  {
    title: "accepts after the turn was cancelled",
    make: async (stage) => {
      const { answer, proposal } = await stage.proposes(replaceA);
      await stage.client.request("agentq/cancel", { sessionId: proposal.sessionId ?? "" });
      const heard = await stage.says("agentq/decide", accepts(proposal.proposalId));
      await answer;
      return heard;
    },
    told: /already withdrawn/,
    audit: /person agentq\/decide invalid .*already withdrawn/,
  },
  {
    title: "says that it applied, with the right hash and a high version, and has not",
    make: async (stage) => {
      const { answer, proposal } = await stage.proposes(replaceA);
      const { proposalId, documents } = proposal;
      await stage.decide(proposal);
      const word = documents.map(({ uri }) => ({ uri, version: 999, sha256: "0".repeat(64) }));
      for (const said of [word, word]) {
        expect(await stage.says("agentq/didApply", { proposalId, documents: said })).toContain('"verified":false');
      }
      await stage.decide(proposal, "reject");
      return answer;
    },
    told: /NOT APPLIED: none of 1 hunks/,
    audit: /person agentq\/didApply failed What was approved does not stand/,
  },
  {
    title: "says of one proposal that it applied another",
    make: async (stage) => {
      const one = await stage.proposes(replaceA);
      const two = await stage.proposes({ op: "create", path: "src/two.ts", modified: "export {};\n" });
      applyOnDisk((await stage.decide(two.proposal)).edit);
      const { proposalId } = one.proposal;
      const { documents } = two.proposal;
      expect(await stage.says("agentq/didApply", { proposalId, documents })).toContain('"verified":false');
      await stage.says("agentq/didApply", { proposalId: two.proposal.proposalId, documents });
      await stage.decide(one.proposal, "reject");
      expect(await two.answer).toContain("APPLIED: all 1 of 1");
      return one.answer;
    },
    told: /NOT APPLIED: none of 1 hunks/,
    audit: /person agentq\/didApply failed What was approved does not stand/,
  },
  {
    title: "applies another text than the approved one",
    make: async (stage) => {
      const { answer, proposal } = await stage.proposes({ ...replaceA, modified: "export const a = 9;" });
      await stage.decide(proposal);
      writeFileSync(stage.at("src/a.ts"), "export const a = 666;\n");
      await stage.says("agentq/didApply", { proposalId: proposal.proposalId, documents: [] });
      await stage.rejectRest(proposal);
      return answer;
    },
    told: /^(?:UNCERTAIN: 0|NOT APPLIED: none) of 1 hunks/,
    audit: /person agentq\/didApply failed What was approved does not stand/,
  },
  {
    title: "speaks in a conversation that there is not",
    make: (stage) =>
      stage.says("agentq/callTool", { name: "propose_edits", arguments: {}, sessionId: "somebody-else" }),
    told: /REFUSED .*somebody-else/,
    audit: /person agentq\/callTool invalid .*somebody-else/,
  },
];

/** Every tool that answers from the compiler, which reads such files all the same. */
const questions: readonly Attempt[] = ["src/out/secrets.ts", "src/.env.ts"].flatMap((file) =>
  Object.entries({
    describe_symbol: { symbol: `${file}#Vault` },
    function_arglist: { symbol: `${file}#Vault.open` },
    who_calls: { symbol: `${file}#Vault.open` },
    who_references: { symbol: `${file}#KEY` },
    find_implementations: { symbol: `${file}#Vault` },
    method_specializers: { symbol: `${file}#Vault.open` },
    class_slots: { symbol: `${file}#Vault` },
    class_hierarchy: { symbol: `${file}#Vault` },
    list_package_symbols: { path: file },
    document_outline: { file },
    search_text: { pattern: "KEY", path: file },
    search_files: { glob: "*.ts", path: file },
    read_symbol: { symbols: [`${file}#Vault`, `${file}:1`] },
    get_diagnostics: { file },
    macroexpand_form: { form: `typeof import("./${file.slice("src/".length)}").KEY`, as: "type" },
    rename_symbol: { symbol: `${file}#Vault`, new_name: PWNED },
    organize_imports: { file },
    apply_code_action: { file, line: 2 },
    inspect_object: { value: `${file}#KEY` },
  }).map(([name, args]): Attempt => {
    return {
      title: `asks ${name} about ${file}`,
      make: (stage) => stage.agent(name, args),
      told: /./,
      audit: new RegExp(
        `^model ${name} (?:run|failed) .*(?:${OUTSIDE.source}|${SECRET.source}|outside the workspace folders or may|is no TypeScript or JavaScript file)`,
        "s",
      ),
    };
  }),
);

const talk: readonly Attempt[] = [
  {
    title: "quotes a secret by the stack of an error",
    make: (stage) => {
      const stack = `Error: x\\n    at f (${stage.at(".env")}:1:1)\\n    at g (${stage.outside("victim.txt")}:1:1)`;
      return stage.agent("eval_form", { form: `const e = new Error("x"); e.stack = "${stack}"; throw e` });
    },
    told: /Error: x/,
    audit: /model eval_form run/,
  },
  {
    title: "quotes a secret by the stack of a failed test",
    make: (stage) => stage.agent("run_tests", { path: "test/stack.test.ts" }),
    told: /thrown/,
    audit: /model run_tests run/,
  },
  ...["../outside/victim.txt", ".env", "src/out/secrets.ts", ".git/config"].map((file): Attempt => ({
    title: `attaches ${file} to a prompt`,
    make: async (stage) => {
      const uri = `file://${path.join(stage.folder, file)}`;
      const text = JSON.stringify(["read_file", { path: "src/a.ts" }]);
      const asked = await stage.client.request("agentq/prompt", { text, context: [{ kind: "file", uri }] });
      return JSON.stringify(await stage.client.turn(asked.turnId));
    },
    told: /could not be had: /,
    audit: /person agentq\/prompt denied /,
  })),
];

/** The agent asks in an open REPL, and somebody answers the question. */
function byAnswer(
  title: string,
  answer: (stage: Stage, approvalId: string) => Promise<unknown>,
  told: RegExp,
  audit: RegExp,
): Attempt {
  return {
    title,
    make: async (stage) => {
      const asked = stage.approvals().length;
      const running = stage.agent("eval_form", { form: `globalThis.x = "${title}"; "RAN " + globalThis.x` });
      const { approvalId } = await stage.approvalAfter(asked);
      await answer(stage, approvalId);
      return running;
    },
    told,
    audit,
  };
}

const answers: readonly Attempt[] = [
  byAnswer(
    "answers a question with a word that is none, then with a No",
    async (stage, approvalId) => {
      for (const decision of ["yes", "allow", "APPROVED", ""]) {
        expect(await stage.says("agentq/answerApproval", { approvalId, decision })).toContain("REFUSED");
      }
      await stage.says("agentq/answerApproval", { approvalId, decision: "denied" });
    },
    /NOT RUN: the person did not approve/,
    /person agentq\/answerApproval invalid .*\/decision/,
  ),
  byAnswer(
    "answers a question twice, the second time with a Yes",
    async (stage, approvalId) => {
      for (const decision of ["denied", "approved"])
        await stage.says("agentq/answerApproval", { approvalId, decision });
    },
    /NOT RUN: the person did not approve/,
    /person agentq\/answerApproval invalid No such question is open/,
  ),
  byAnswer(
    "answers a question that there is not",
    async (stage, approvalId) => {
      await stage.says("agentq/answerApproval", { approvalId: `${approvalId}0`, decision: "approved" });
      await stage.says("agentq/answerApproval", { approvalId, decision: "denied" });
    },
    /NOT RUN: the person did not approve/,
    /person agentq\/answerApproval invalid No such question is open/,
  ),
  byAnswer(
    "modifies without arguments",
    async (stage, approvalId) => {
      expect(await stage.says("agentq/answerApproval", { approvalId, decision: "modified" })).toContain("/arguments");
      await stage.says("agentq/answerApproval", { approvalId, decision: "denied" });
    },
    /NOT RUN: the person did not approve/,
    /person agentq\/answerApproval invalid .*object with decision modified/,
  ),
  byAnswer(
    "modifies to the arguments of another tool",
    (stage, approvalId) =>
      stage.says("agentq/answerApproval", {
        approvalId,
        decision: "modified",
        arguments: { path: "src/a.ts", modified: PWNED, description: "d" },
      }),
    /arguments of eval_form are not valid; nothing was run/,
    /model eval_form invalid modified /,
  ),
  byAnswer(
    "modifies to arguments in two thousand levels",
    (stage, approvalId) => {
      let deep = {};
      for (let level = 0; level < 2_000; level += 1) deep = { deep };
      return stage.says("agentq/answerApproval", { approvalId, decision: "modified", arguments: { form: "1", deep } });
    },
    /arguments of eval_form are nested deeper than 200 levels; nothing was run/,
    /model eval_form invalid modified /,
  ),
  {
    title: "modifies to a module outside",
    make: async (stage) => {
      const asked = stage.approvals().length;
      const running = stage.agent("eval_in_package", { form: "globalThis.y = 1", path: "src/a.ts" });
      const { approvalId } = await stage.approvalAfter(asked);
      const changed = { form: "KEY", path: "../outside/secrets.ts" };
      await stage.says("agentq/answerApproval", { approvalId, decision: "modified", arguments: changed });
      return running;
    },
    told: OUTSIDE,
    audit: /model eval_in_package failed modified .*outside the workspace/s,
  },
  {
    title: "widens what is remembered by other arguments, another tool or another conversation",
    make: async (stage) => {
      const form = "globalThis.kept = 1";
      const asked = stage.approvals().length;
      const running = stage.agent("eval_form", { form });
      const { approvalId } = await stage.approvalAfter(asked);
      await stage.says("agentq/answerApproval", { approvalId, decision: "approved", remember: "workspace" });
      await running;
      const others: readonly (readonly [string, object])[] = [
        ["eval_form", { form: `${form} ` }],
        ["eval_form", { form: `${form};` }],
        ["eval_form", { form, timeout_ms: 1_000 }],
        ["eval_in_package", { form, path: "src/a.ts" }],
        ["try_edit", { form, edits: [{ path: "src/a.ts", modified: "export const a = 2;" }] }],
      ];
      for (const [index, [name, args]] of others.entries()) {
        const other = stage.agent(name, args);
        const next = await stage.approvalAfter(asked + 1 + index);
        await stage.says("agentq/answerApproval", { approvalId: next.approvalId, decision: "denied" });
        expect(await other).toContain("NOT RUN");
      }
      const before = stage.approvals().length;
      await stage.agent("eval_form", { form });
      return `asked ${stage.approvals().length - before} times for the remembered call`;
    },
    told: /^asked 0 times/,
    audit: /model eval_form run not asked again: the same call was approved for this project/,
  },
  byAnswer(
    "has a No remembered",
    async (stage, approvalId) => {
      await stage.says("agentq/answerApproval", { approvalId, decision: "denied", remember: "workspace" });
      const { items } = await stage.client.request("agentq/listRemembered", {});
      expect(items.every((call) => !JSON.stringify(call.arguments).includes("has a No"))).toBe(true);
    },
    /NOT RUN: the person did not approve/,
    /model eval_form denied denied /,
  ),
  {
    title: "quotes a secret by the stack of an error in an open REPL",
    make: async (stage) => {
      const stack = `Error: x\\n    at f (${stage.at(".env")}:1:1)\\n    at g (${stage.outside("victim.txt")}:1:1)`;
      const form = `(() => { const e = new Error("x"); e.stack = "${stack}"; throw e; })()`;
      const asked = stage.approvals().length;
      const running = stage.agent("eval_form", { form });
      const { approvalId } = await stage.approvalAfter(asked);
      await stage.says("agentq/answerApproval", { approvalId, decision: "approved" });
      return running;
    },
    told: /Error: x/,
    audit: /model eval_form run /,
  },
];

/** The rule of the person forbids edits below a folder. */
const ruled = (title: string, name: string, args: object): Attempt =>
  byCall(title, name, args, /the policy in the editor's settings denies it \(rule "edit\(src\/generated\/\*\*\)"\)/);
const edits = (...list: readonly object[]): object => ({ description: "d", edits: list });
const made = { op: "replace", path: `${GUARDED}/made.ts`, original: "4", modified: `"${PWNED}"` };

const linked =
  /must not change: the file has another name \(a hard link\), and .* denies some names \(rule "edit\(src\/generated/;

const rules: readonly Attempt[] = [
  ruled("edits a file", "propose_edits", edits(made)),
  ruled("edits it among others", "propose_edits", edits(replaceA, made)),
  ruled("spells its path with dots", "propose_edits", edits({ ...made, path: "./src/../src//generated/./made.ts" })),
  ruled(
    "spells its path in capital letters",
    "propose_edits",
    edits({ op: "create", path: "SRC/Generated/new.ts", modified: PWNED }),
  ),
  ruled("names it by a link", "propose_edits", edits({ ...made, path: "src/alias/made.ts" })),
  ruled(
    "makes a file there by a link",
    "propose_edits",
    edits({ op: "create", path: "src/alias/new.ts", modified: PWNED }),
  ),
  ruled("moves a file in", "propose_edits", edits({ op: "move", path: "src/a.ts", to: `${GUARDED}/a.ts` })),
  ruled("moves a folder in", "propose_edits", edits({ op: "move", path: "src/dir", to: GUARDED })),
  ruled("moves a file out", "propose_edits", edits({ op: "move", path: `${GUARDED}/made.ts`, to: "src/made.ts" })),
  ruled("moves the folder away", "propose_edits", edits({ op: "move", path: GUARDED, to: "src/other" })),
  ruled("deletes the folder", "propose_edits", edits({ op: "delete", path: GUARDED })),
  ruled(
    "replaces a symbol in it",
    "propose_edits",
    edits({ op: "replace_symbol", symbol: `${GUARDED}/made.ts#made`, modified: PWNED }),
  ),
  ruled("renames a symbol of it", "rename_symbol", { symbol: "made", new_name: "done" }),
  ruled("organizes its imports", "organize_imports", { path: `${GUARDED}/made.ts` }),
  ruled("writes it", "write_file", { path: `${GUARDED}/made.ts`, content: PWNED }),
  ruled("edits it by the form for programs", "edit_file", { path: `${GUARDED}/made.ts`, old: "4", new: PWNED }),
  ruled("inserts a line", "insert_at_line", { path: `${GUARDED}/made.ts`, line: 1, content: PWNED }),
  ruled("creates a file there", "create_file", { path: `${GUARDED}/new.ts`, content: PWNED }),
  ruled("moves it by the form for programs", "move_file", { path: `${GUARDED}/made.ts`, to: "src/made.ts" }),
  ruled("deletes it", "delete_file", { path: `${GUARDED}/made.ts` }),
  ruled("writes its buffer", "write_to_buffer", { path: `${GUARDED}/made.ts`, content: PWNED }),
  ruled("proposes an edit of it alone", "propose_file_edit", {
    path: `${GUARDED}/made.ts`,
    modified: PWNED,
    description: "d",
  }),
  ruled("tries an edit of it", "try_edit", { edits: [{ path: `${GUARDED}/made.ts`, modified: PWNED }], form: "1" }),
  ruled("runs tests with an edit of it", "run_tests", { edits: [{ path: `${GUARDED}/made.ts`, modified: PWNED }] }),
  ...["src/hard.ts", "src/dir/deep/hard.ts"].map((name) => ({
    ...ruled("", "propose_edits", {}),
    title: `edits another name of it, ${name}`,
    make: async (stage: Stage) => {
      mkdirSync(path.dirname(stage.at(name)), { recursive: true });
      linkSync(stage.at(`${GUARDED}/made.ts`), stage.at(name));
      return stage.agent("propose_edits", edits({ ...made, path: name }));
    },
    told: linked,
    audit: new RegExp(`model propose_edits failed .*${linked.source}`),
  })),
  ruled("runs tests with an edit of it by a link", "run_tests", {
    edits: [{ path: "src/alias/made.ts", modified: PWNED }],
  }),
];

const unasked: readonly Attempt[] = [
  byCall(
    "runs a form that nobody can be asked about",
    "eval_form",
    { form: "globalThis.z = 1" },
    /this editor cannot show approvals, so nobody could be asked/,
  ),
  byCall("calls what is no tool", "agentq/decide", { proposalId: "x", hunks: [] }, /Unknown tool "agentq\/decide"/),
  byCall("calls what is no tool either", "__proto__", {}, /Unknown tool "__proto__"/),
  byCall(
    "sends more edits than a person can review",
    "propose_edits",
    edits(...Array.from({ length: 501 }, () => replaceA)),
    /nothing was run/,
  ),
  byCall(
    "sends a text of three megabytes",
    "propose_edits",
    edits({ op: "create", path: "src/big.ts", modified: "x".repeat(3_000_000) }),
    /nothing was run|NOT PROPOSED/,
  ),
  byCall(
    "sends half of a surrogate pair",
    "propose_edits",
    edits({ op: "create", path: "src/half.ts", modified: "\ud83d" }),
    /half of a surrogate pair/,
  ),
  byCall(
    "sends a carriage return that editors count differently",
    "propose_edits",
    edits({ op: "create", path: "src/cr.ts", modified: "a\rb" }),
    /carriage return without a line feed/,
  ),
  {
    title: "writes code that reads as other code, under a title of another file",
    make: async (stage) => {
      const description = "Edit README.md\u001b[2K\u202E";
      const answer = stage.agent("propose_edits", {
        description,
        edits: [
          { op: "create", path: "src/new.ts", modified: "const isAdmin = false; /*\u202E } \u2066if (isAdmin)*/\n" },
        ],
      });
      const proposal = await stage.nextProposal();
      await stage.decide(proposal, "reject");
      await answer;
      return `${proposal.title} | ${proposal.why}`;
    },
    told: /^Create src\/new\.ts \(hidden: U\+202E.*U\+2066.*\) \| .*<U\+001B>\[2K<U\+202E>/,
    audit: /model propose_edits run .*create src\/new\.ts: rejected/,
  },
];

const lists: Readonly<Record<string, { readonly mode: Mode; readonly attempts: readonly Attempt[] }>> = {
  // Each path is read and created before a release, and otherwise one of both: one place resolves the paths of all tools.
  "a path": { mode: "confined", attempts: paths.filter((_, at) => runsAll || at % 4 === 0 || at % 4 === 3) },
  "an edit": { mode: "confined", attempts: files },
  "a swap": { mode: "confined", attempts: swaps },
  "a link that comes and goes": { mode: "confined", attempts: turns },
  "a client's word": { mode: "confined", attempts: lies },
  "a question": { mode: "confined", attempts: questions },
  "an attachment": { mode: "confined", attempts: talk },
  "a text or a size": { mode: "mute", attempts: unasked },
  "an answer": { mode: "open", attempts: answers },
  "a rule": { mode: "ruled", attempts: rules },
};

describe.each(Object.keys(MODES) as Mode[])("with a server that is %s", (mode) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open(mode);
  });
  afterAll(async () => stage.close());

  describe.each(Object.entries(lists).filter(([, list]) => list.mode === mode))("%s", (_name, { attempts }) => {
    it.each(attempts)("$title: it does not get through", async ({ make, told, audit }) => {
      stage.restore();
      const [heardBefore, before] = [stage.client.received.length, await stage.auditLength()];
      const answer = await make(stage);
      expect(answer).toMatch(told);
      const heard = JSON.stringify(stage.client.received.slice(heardBefore));
      expect(answer + heard).not.toContain("CANARY");
      expect(stage.harm()).toEqual([]);
      expect(await stage.auditLines(before)).toContainEqual(expect.stringMatching(audit));
    });
  });
});
