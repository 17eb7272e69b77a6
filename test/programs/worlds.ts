/** Programs as people write them: below loaders and frameworks, each with a price that a module computes. */
/** What an answer of each of these programs holds. */
export interface Answer {
  readonly pid: number;
  readonly price: number;
  readonly served: number;
}

export interface World {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** As a person types the command; the packages' programs are found by their names. */
  readonly command: readonly string[];
  /** Runs once before the program. */
  readonly build?: readonly string[];
  /** The module that counts what was served, and the one with `rate` and `price`. */
  readonly server: string;
  readonly price: string;
  /** Only forms among the globals, and the words that say why. */
  readonly why?: RegExp;
  /** Starts its process anew when a file changes. */
  readonly isWatcher?: true;
  readonly asksBy?: "stdin";
  /** The processes that can be worked with; the one that answers comes after the first of them. */
  readonly processes?: number;
}

/** Everything that the worlds import, in exact versions. */
export const PACKAGES = {
  "@hono/node-server": "2.1.9",
  "@nestjs/common": "12.5.1",
  "@nestjs/core": "12.5.1",
  "@nestjs/platform-express": "12.5.1",
  "@swc-node/register": "1.12.1",
  "@swc/core": "1.16.22",
  "@types/node": "24.19.2",
  express: "5.3.0",
  fastify: "5.12.8",
  hono: "4.13.19",
  "reflect-metadata": "0.2.2",
  nodemon: "3.1.14",
  rxjs: "7.8.2",
  "ts-node": "10.9.2",
  tsx: "4.23.15",
  // The last with the programming interface that ts-node asks.
  typescript: "5.9.3",
  vite: "8.4.0",
} as const;

const PRICE = `const rate: number = 2;
export function price(count: number): number {
  return count * rate;
}
`;

const MODULE = '{ "private": true, "type": "module" }\n';
const COMMONJS = '{ "private": true, "type": "commonjs" }\n';

/** What serves; `extension` is how the loader wants the module's name to end. */
const http = (extension: string): string => `import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { price } from "./price${extension}";
let served: number = 0;
const server = createServer((request, response) => {
  served += 1;
  response.end(JSON.stringify({ pid: process.pid, price: price(Number(request.url?.split("count=")[1])), served }));
});
server.listen(0, "127.0.0.1", () => console.log("port " + (server.address() as AddressInfo).port));
`;

const config = (module: string, more = ""): string =>
  `{ "compilerOptions": { "target": "es2023", "module": "${module}", "strict": true, "types": ["node"]${more} }, "include": ["src"] }\n`;

interface Plain {
  readonly command: readonly string[];
  readonly extension: string;
  readonly isCommonJs?: true;
  readonly server?: string;
  readonly files?: Readonly<Record<string, string>>;
}

function plain(
  name: string,
  { command, extension, isCommonJs, server, files }: Plain,
  more: Partial<World> = {},
): World {
  const allowing = extension === ".ts" ? ', "noEmit": true, "allowImportingTsExtensions": true' : "";
  return {
    name,
    command,
    server: "src/server.ts",
    price: "src/price.ts",
    files: {
      "package.json": isCommonJs === true ? COMMONJS : MODULE,
      "tsconfig.json": config("nodenext", allowing),
      "src/price.ts": PRICE,
      "src/server.ts": server ?? http(extension),
      ...files,
    },
    ...more,
  };
}

const own = (server: string, files: Readonly<Record<string, string>> = {}): Plain => {
  return { command: ["node", "src/server.ts"], extension: ".ts", server, files };
};

const EXPRESS = `import express from "express";
import { price } from "./price.ts";
let served: number = 0;
const app = express();
app.get("/", (request, response) => {
  served += 1;
  response.json({ pid: process.pid, price: price(Number(request.query["count"])), served });
});
const server = app.listen(0, "127.0.0.1", () => console.log("port " + (server.address() as { port: number }).port));
`;

const FASTIFY = `import { fastify } from "fastify";
import { price } from "./price.ts";
let served: number = 0;
const app = fastify();
app.get<{ Querystring: { count: string } }>("/", async (request) => {
  served += 1;
  return { pid: process.pid, price: price(Number(request.query.count)), served };
});
await app.listen({ port: 0, host: "127.0.0.1" });
console.log("port " + (app.server.address() as { port: number }).port);
`;

const HONO = `import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { price } from "./price.ts";
let served: number = 0;
const app = new Hono();
app.get("/", (context) => {
  served += 1;
  return context.json({ pid: process.pid, price: price(Number(context.req.query("count"))), served });
});
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log("port " + port));
`;

const NEST = `import "reflect-metadata";
import { Controller, Get, Injectable, Module, Query } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { price } from "./price.js";
let served: number = 0;
@Injectable()
class Prices {
  of(count: number): number { return price(count); }
}
@Controller()
class Shop {
  constructor(private readonly prices: Prices) {}
  @Get()
  get(@Query("count") count: string): object {
    served += 1;
    return { pid: process.pid, price: this.prices.of(Number(count)), served };
  }
}
@Module({ controllers: [Shop], providers: [Prices] })
class App {}
async function start(): Promise<void> {
  const app = await NestFactory.create(App, { logger: false });
  await app.listen(0, "127.0.0.1");
  console.log("port " + (app.getHttpServer().address() as { port: number }).port);
}
void start();
`;

const DECORATORS =
  ', "experimentalDecorators": true, "emitDecoratorMetadata": true, "skipLibCheck": true, "outDir": "dist"';

const STDIN = `import { createInterface } from "node:readline";
import { price } from "./price.ts";
let served: number = 0;
createInterface({ input: process.stdin }).on("line", (line) => {
  served += 1;
  console.log(JSON.stringify({ pid: process.pid, price: price(Number(line)), served }));
});
console.log("port 0");
`;

const POOL = `import { createServer } from "node:http";
import { Worker } from "node:worker_threads";
import { price } from "./price.ts";
let served: number = 0;
const waiting: ((count: number) => void)[] = [];
const pool = [1, 2].map(() => new Worker(new URL("./thread.ts", import.meta.url)));
for (const thread of pool) thread.on("message", (count) => waiting.shift()?.(count));
const server = createServer((request, response) => {
  served += 1;
  waiting.push((count) => response.end(JSON.stringify({ pid: process.pid, price: price(count), served })));
  pool[served % 2]?.postMessage(request.url?.split("count=")[1]);
});
server.listen(0, "127.0.0.1", () => console.log("port " + (server.address() as { port: number }).port));
`;

const THREAD = `import { parentPort } from "node:worker_threads";
import { price } from "./price.ts";
parentPort?.on("message", (count: string) => parentPort?.postMessage(price(Number(count)) / price(1)));
`;

const CLUSTER = `import cluster from "node:cluster";
if (cluster.isPrimary) for (const _ of [1, 2]) cluster.fork();
else await import("./worker.ts");
`;

const VITE = `import { price } from "./src/price.ts";
let served = 0;
export default {
  logLevel: "error",
  server: { port: 0, host: "127.0.0.1" },
  plugins: [{
    name: "prices",
    configureServer({ httpServer, middlewares }) {
      httpServer.once("listening", () => console.log("port " + httpServer.address().port));
      middlewares.use((request, response, next) => {
        if (!request.url.includes("count=")) return next();
        served += 1;
        response.end(JSON.stringify({ pid: process.pid, price: price(Number(request.url.split("count=")[1])), served }));
      });
    },
  }],
};
`;

/** The one that runs in every Node and without any package. */
export const plainWorld: World = plain("plain", { command: ["node", "src/server.ts"], extension: ".ts" });

export const worlds: readonly World[] = [
  plain("node-watch", { command: ["node", "--watch", "src/server.ts"], extension: ".ts" }, { isWatcher: true }),
  plain("express", own(EXPRESS)),
  plain("fastify", own(FASTIFY)),
  plain("hono", own(HONO)),
  plain("stdin", own(STDIN), { asksBy: "stdin" }),
  plain("pool", own(POOL, { "src/thread.ts": THREAD })),
  plain("cluster", own(CLUSTER, { "src/worker.ts": http(".ts") }), { server: "src/worker.ts", processes: 3 }),
  plain("tsx-module", { command: ["tsx", "src/server.ts"], extension: ".js" }),
  plain("tsx-commonjs", { command: ["tsx", "src/server.ts"], extension: "", isCommonJs: true }),
  plain("nodemon", { command: ["nodemon", "-q", "src/server.ts"], extension: ".ts" }, { isWatcher: true }),
  plain("tsx-watch", { command: ["tsx", "watch", "src/server.ts"], extension: ".js" }, { isWatcher: true }),
  plain("ts-node-commonjs", {
    command: ["ts-node", "--transpile-only", "src/server.ts"],
    extension: "",
    isCommonJs: true,
    files: { "tsconfig.json": config("commonjs") },
  }),
  plain("ts-node-module", {
    command: ["node", "--no-warnings", "--loader", "ts-node/esm/transpile-only", "src/server.ts"],
    extension: ".js",
  }),
  plain("swc-node-commonjs", {
    command: ["node", "--require", "@swc-node/register", "src/server.ts"],
    extension: "",
    isCommonJs: true,
    files: { "tsconfig.json": config("commonjs") },
  }),
  plain("swc-node-module", {
    command: ["node", "--import", "@swc-node/register/esm-register", "src/server.ts"],
    extension: ".js",
  }),
  plain("nest-ts-node", {
    command: ["ts-node", "--transpile-only", "src/server.ts"],
    extension: "",
    isCommonJs: true,
    server: NEST.replace("./price.js", "./price"),
    files: { "tsconfig.json": config("commonjs", DECORATORS) },
  }),
  plain(
    "nest-built",
    {
      command: ["node", "dist/server.js"],
      extension: ".js",
      server: NEST,
      files: { "tsconfig.json": config("nodenext", DECORATORS) },
    },
    { build: ["tsc", "-p", "."], server: "dist/server.js", price: "dist/price.js" },
  ),
  plain(
    "vite",
    {
      command: ["npm", "run", "dev"],
      extension: ".ts",
      files: {
        "package.json": '{ "private": true, "type": "module", "scripts": { "dev": "vite" } }\n',
        "vite.config.js": VITE,
        "index.html": '<script type="module" src="/src/price.ts"></script>\n',
      },
    },
    { why: /^vite runs the project's code by a loader of its own, .*: forms run among the process's globals/ },
  ),
];
