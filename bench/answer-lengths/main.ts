/**
 * How long the results are that a model reads, and what every request begins with: fixed conversations, played with the
 * built server.
 *
 *     node bench/answer-lengths/main.ts [--server bin/agentq.js] [--texts FILE] [--only PART-OF-A-TITLE]
 */
import { appendFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { ownProgram } from "../support/servers.ts";
import { inTemporaryFolder } from "../support/setting.ts";
import { play } from "./play.ts";
import { writeProject } from "./projects.ts";
import { tasks } from "./tasks.ts";

interface Count {
  calls: number;
  characters: number;
}

const { values } = parseArgs({
  options: {
    server: { type: "string", default: ownProgram },
    texts: { type: "string" },
    only: { type: "string", default: "" },
  },
});
const byTool = new Map<string, Count>();
const byTask = new Map<string, Count>();
const begins = new Set<string>();
if (values.texts !== undefined) writeFileSync(values.texts, "");
for (const task of tasks.filter(({ title }) => title.includes(values.only))) {
  await inTemporaryFolder(async (temporary) => {
    const folder = path.join(realpathSync(temporary), task.project);
    writeProject(task.project, folder);
    const { results, always } = await play(task, values.server, folder);
    begins.add(`${always.prompt} characters of system prompt, ${always.tools} of tools`);
    for (const { name, input, text } of results) {
      add(byTool, name, text.length);
      add(byTask, `${task.title} (${task.project})`, text.length);
      if (values.texts !== undefined) {
        appendFileSync(values.texts, `>>> ${name} ${JSON.stringify(input)}  [${text.length}]\n${text}\n\n`);
      }
    }
    const all = results.map(({ text }) => text).join("\n");
    for (const fact of task.facts) if (!all.includes(fact)) fail(`${task.title}: no result says "${fact}".`);
    if (results.length !== task.calls.length) fail(`${task.title}: ${results.length} of ${task.calls.length} calls.`);
  });
}
console.log(`Every request begins with ${[...begins].join(" or ")}.`);
print("task", byTask);
print("tool", byTool);

function add(counts: Map<string, Count>, key: string, characters: number): void {
  const count = counts.get(key) ?? { calls: 0, characters: 0 };
  counts.set(key, { calls: count.calls + 1, characters: count.characters + characters });
}

function print(what: string, counts: ReadonlyMap<string, Count>): void {
  const rows = [...counts].toSorted(([, a], [, b]) => b.characters - a.characters);
  const total = rows.reduce(
    (sum, [, { calls, characters }]) => ({ calls: sum.calls + calls, characters: sum.characters + characters }),
    { calls: 0, characters: 0 },
  );
  console.log(`\n| ${what} | calls | characters |\n| --- | ---: | ---: |`);
  for (const [name, { calls, characters }] of [...rows, ["all", total] as const])
    console.log(`| ${name} | ${calls} | ${characters.toLocaleString("en")} |`);
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
