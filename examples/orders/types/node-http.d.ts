/** The part of Node that the service uses: the example has nothing to install. */
declare module "node:http" {
  export interface IncomingMessage {
    readonly url?: string;
  }
  export interface ServerResponse {
    writeHead(status: number, headers: Readonly<Record<string, string>>): this;
    end(text: string): this;
  }
  export interface Server {
    listen(port: number, host: string, listening: () => void): this;
    address(): { readonly port: number };
  }
  export function createServer(handle: (request: IncomingMessage, response: ServerResponse) => void): Server;
}

declare const console: { log(text: string): void };
declare const process: { readonly env: Readonly<Record<string, string | undefined>> };
declare class URL {
  constructor(url: string, base: string);
  readonly pathname: string;
  readonly searchParams: { get(name: string): string | null; getAll(name: string): string[] };
}
