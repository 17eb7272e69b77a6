/** A small project in which every language feature has something to say, and the places the tests ask about. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const FILES: Readonly<Record<string, string>> = {
  "package.json": '{ "type": "module" }\n',
  "tsconfig.json":
    '{ "compilerOptions": { "strict": true, "noEmit": true, "module": "nodenext", "target": "es2022", "jsx": "preserve", "types": [], "noUnusedLocals": true } }\n',
  "src/shapes.ts": `/** Anything with an area. */
export interface Shape {
  readonly name: string;
  area(): number;
}

/** A circle 🟢 by its radius. */
export class Circle implements Shape {
  readonly name = "circle";
  readonly radius: number;

  constructor(radius: number) {
    this.radius = radius;
  }

  area(): number {
    return Math.PI * this.radius ** 2;
  }
}

/** The area of all of them together. */
export function totalArea(shapes: readonly Shape[], scale: number): number {
  return shapes.reduce((sum, shape) => sum + shape.area() * scale, 0);
}
`,
  "src/main.ts": `import { Circle, totalArea } from "./shapes.js";

const emoji = "🟢"; export const circle = new Circle(2); /* after 🟢🟢 */ export const again = circle;
const both = [circle, again];

export function report(): string {
  const area = totalArea(both, 1);
  return   area.toFixed(2);
}

export const wrong: string = emoji.length;
export const missing = Shapely;
`,
  "src/lonely.ts": "export const lonely: Shape | undefined = undefined;\n",
  "src/view.tsx": `declare namespace JSX {
  interface IntrinsicElements {
    section: { title?: string };
  }
  interface Element {
    readonly tag: string;
  }
}

export const view = <section title="a"></section>;
`,
};

export interface Place {
  readonly textDocument: { readonly uri: string };
  readonly position: { readonly line: number; readonly character: number };
}

export class LanguageProject {
  readonly folder: string;

  constructor() {
    this.folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-features-")));
    for (const [name, text] of Object.entries(FILES)) this.write(name, text);
  }

  write(name: string, text: string): void {
    const file = this.file(name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  file(name: string): string {
    return path.join(this.folder, name);
  }

  uri(name: string): string {
    return pathToFileURL(this.file(name)).href;
  }

  text(name: string): string {
    return readFileSync(this.file(name), "utf8");
  }

  /** Where `needle` begins, in UTF-16 units, plus `offset`. */
  at(name: string, needle: string, offset = 0): Place {
    const text = this.text(name);
    const index = text.indexOf(needle);
    if (index < 0) throw new Error(`${name} has no ${needle}`);
    const before = text.slice(0, index).split("\n");
    const position = { line: before.length - 1, character: (before.at(-1) ?? "").length + offset };
    return { textDocument: { uri: this.uri(name) }, position };
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
