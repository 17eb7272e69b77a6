/** A server in miniature: prints the image's process id once the image is in an endless loop, then waits to be killed. */
import { createImage } from "../../../../server/src/repl/process/image-process.ts";

const [, , projectRoot = ".", nodePath = process.execPath, confinement] = process.argv;
const image = createImage({
  projectRoot,
  nodePath,
  confinement: confinement === "open" ? "open" : "confined",
  onOutput: ({ text }) => {
    if (text.includes("looping")) process.stdout.write(`${image.status().pid ?? 0}\n`);
  },
  onState: () => {},
  log: () => {},
});
void image.evaluate({ code: "console.log('looping'); while (true) {}", by: "person" }, new AbortController().signal);
