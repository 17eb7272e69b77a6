// Brings the Nodes that the REPL's tests run in, beside the project's own, into `.cache/nodes`.
//
//   npm run nodes [22] [24] [26]
import { nodeMajors, provideNodes } from "./nodes/provide-nodes.ts";

const names = process.argv.slice(2);
const majors = nodeMajors.filter((major) => names.includes(String(major)));

if (names.some((name) => !majors.some((major) => String(major) === name))) {
  process.stderr.write(`Choose from ${nodeMajors.join(", ")}.\n`);
  process.exitCode = 2;
} else {
  const { nodes, missing } = provideNodes(majors.length > 0 ? majors : nodeMajors);
  for (const { major, path } of nodes) process.stdout.write(`${major} ${path}\n`);
  for (const { name, reason } of missing) process.stderr.write(`${name} is missing: ${reason}\n`);
  if (missing.length > 0) process.exitCode = 1;
}
