/**
 * What hostile or careless code may try from inside a confined image. `OUT` stands for a folder outside of the project
 * that holds `secret.txt` and `secret.ts`, `PID` for another process of the same user.
 */

export interface Escape {
  readonly name: string;
  /** Its value tells that it worked; a refusal is an error. */
  readonly code: string;
  /** How the refusal reads where it is not Node's `ERR_ACCESS_DENIED`. */
  readonly refusal?: RegExp;
}

const fs = "const fs = require('node:fs'); const fsp = require('node:fs/promises'); ";
const escape = (name: string, code: string, refusal?: RegExp): Escape =>
  refusal === undefined ? { name, code } : { name, code, refusal };
const file = (name: string, code: string, refusal?: RegExp): Escape => escape(name, fs + code, refusal);

export const reads: readonly Escape[] = [
  file("readFileSync by string", "fs.readFileSync('OUT/secret.txt', 'utf8')"),
  file("readFileSync by Buffer", "fs.readFileSync(Buffer.from('OUT/secret.txt'), 'utf8')"),
  file("readFileSync by Uint8Array", "fs.readFileSync(new TextEncoder().encode('OUT/secret.txt'), 'utf8')"),
  file("readFileSync by URL", "fs.readFileSync(new URL('file://OUT/secret.txt'), 'utf8')"),
  file("readFileSync by ..", "fs.readFileSync('src/../../../../../../../../../../../..' + 'OUT/secret.txt', 'utf8')"),
  file("readFileSync by a path under /proc/self/cwd", "fs.readFileSync('/proc/self/cwd/package.json', 'utf8')"),
  file("readFileSync by /proc/self/root", "fs.readFileSync('/proc/self/root' + 'OUT/secret.txt', 'utf8')"),
  file("readFile by callback", "new Promise((ok, no) => fs.readFile('OUT/secret.txt', (e, d) => e ? no(e) : ok(d)))"),
  file("readFile by promise", "await fsp.readFile('OUT/secret.txt', 'utf8')"),
  file("open", "fs.openSync('OUT/secret.txt', 'r')"),
  file("open by promise", "await fsp.open('OUT/secret.txt')"),
  file(
    "a read stream",
    "let text = ''; for await (const part of fs.createReadStream('OUT/secret.txt')) text += part; text",
  ),
  file("stat", "fs.statSync('OUT/secret.txt').size"),
  file("lstat", "fs.lstatSync('OUT/secret.txt').size"),
  file("statfs", "fs.statfsSync('OUT').bsize"),
  file("access", "fs.accessSync('OUT/secret.txt'); 'it is there'"),
  file("existsSync", "fs.existsSync('OUT/secret.txt')"),
  file("readdir", "fs.readdirSync('OUT')"),
  file("opendir", "fs.opendirSync('OUT').readSync().name"),
  file("readlink", "fs.readlinkSync('/proc/self/exe')"),
  file("realpath.native", "fs.realpathSync.native('OUT/secret.txt')"),
  file("watch", "fs.watch('OUT').close(); 'watched'"),
  file("openAsBlob", "await (await fs.openAsBlob('OUT/secret.txt')).text()"),
  file(
    "copyFile into the scratch folder",
    "fs.copyFileSync('OUT/secret.txt', require('os').tmpdir() + '/copied'); 'copied'",
  ),
  file(
    "cp into the scratch folder",
    "fs.cpSync('OUT', require('os').tmpdir() + '/copy', { recursive: true }); 'copied'",
  ),
  file("a new link to it", "fs.symlinkSync('OUT/secret.txt', require('os').tmpdir() + '/link'); 'linked'"),
  file("a new hard link to it", "fs.linkSync('OUT/secret.txt', require('os').tmpdir() + '/hard'); 'linked'"),
  file("its own start environment", "fs.readFileSync('/proc/self/environ', 'utf8')"),
  file("its own memory", "fs.openSync('/proc/self/mem', 'r')"),
  file("the server's environment", "fs.readFileSync('/proc/' + process.ppid + '/environ', 'utf8')"),
  escape("loadEnvFile", "process.loadEnvFile('OUT/secret.txt'); 'loaded'"),
  escape("import of a file outside", "await import('OUT/secret.ts')"),
  escape("import of a file: URL outside", "await import('file://OUT/secret.ts')"),
  escape("require of a file outside", "require('OUT/secret.ts')"),
  escape("createRequire outside", "require('node:module').createRequire('OUT/x.js')('./secret.ts')"),
  escape(
    "an import from a data: module",
    "await import('data:text/javascript,export{secret}from%22file://OUT/secret.ts%22')",
  ),
  escape("changing into the folder", "process.chdir('OUT'); require('node:fs').readFileSync('secret.txt', 'utf8')"),
];

export const writes: readonly Escape[] = [
  file("writeFile in the project", "fs.writeFileSync('src/money.ts', 'stolen')"),
  file("writeFile by promise", "await fsp.writeFile('src/money.ts', 'stolen'); 'written'"),
  file("writeFile by Buffer", "fs.writeFileSync(Buffer.from(process.cwd() + '/src/money.ts'), 'stolen')"),
  file("writeFile by ..", "fs.writeFileSync(require('os').tmpdir() + '/../escaped.txt', 'x')"),
  file("appendFile", "fs.appendFileSync('src/money.ts', 'stolen')"),
  file("truncate", "fs.truncateSync('src/money.ts')"),
  file(
    "a write stream",
    "await new Promise((ok, no) => fs.createWriteStream('src/money.ts').on('error', no).on('open', ok))",
  ),
  file("open for writing", "fs.openSync('src/money.ts', 'r+')"),
  file("open for appending by number", "fs.openSync('src/money.ts', fs.constants.O_WRONLY | fs.constants.O_APPEND)"),
  file("rename in the project", "fs.renameSync('src/money.ts', 'src/gone.ts')"),
  file("rename out of the project", "fs.renameSync('src/money.ts', require('os').tmpdir() + '/gone.ts')"),
  file(
    "rename over a project file",
    "const t = require('os').tmpdir() + '/new.ts'; fs.writeFileSync(t, 'x'); fs.renameSync(t, 'src/money.ts')",
  ),
  file("copyFile over a project file", "fs.copyFileSync('package.json', 'src/money.ts')"),
  file("cp over a project file", "fs.cpSync('package.json', 'src/money.ts')"),
  file("unlink", "fs.unlinkSync('src/money.ts')"),
  file("rm", "await fsp.rm('src', { recursive: true })"),
  file("rmdir", "fs.rmdirSync('src')"),
  file("mkdir", "fs.mkdirSync('made')"),
  file("mkdtemp", "fs.mkdtempSync('made-')"),
  file("symlink in the project", "fs.symlinkSync('money.ts', 'src/link.ts')"),
  file("hard link in the project", "fs.linkSync('src/money.ts', 'src/hard.ts')"),
  file(
    "hard link of a project file into the scratch folder",
    "const t = require('os').tmpdir() + '/hard.ts'; fs.linkSync('src/money.ts', t); fs.writeFileSync(t, 'stolen')",
  ),
  file("chmod", "fs.chmodSync('src/money.ts', 0o777)"),
  file("chown", "fs.chownSync('src/money.ts', process.getuid?.() ?? 0, process.getgid?.() ?? 0)"),
  file("utimes", "fs.utimesSync('src/money.ts', 1, 1)"),
  file("lutimes", "fs.lutimesSync('src/money.ts', 1, 1)"),
  file("fchmod of a file opened for reading", "fs.fchmodSync(fs.openSync('src/money.ts', 'r'), 0o777)"),
  file("futimes of a file opened for reading", "fs.futimesSync(fs.openSync('src/money.ts', 'r'), 1, 1)"),
  file(
    "fchown of a file opened for reading",
    "fs.fchownSync(fs.openSync('src/money.ts', 'r'), process.getuid?.() ?? 0, process.getgid?.() ?? 0)",
  ),
  file("write to a file opened for reading", "fs.writeSync(fs.openSync('src/money.ts', 'r'), 'stolen')", /EBADF/),
  file(
    "a file opened for reading, by /proc/self/fd",
    "fs.writeFileSync('/proc/self/fd/' + fs.openSync('src/money.ts', 'r'), 'stolen')",
  ),
  file("FileHandle.chmod", "await (await fsp.open('src/money.ts')).chmod(0o777)"),
];

const copies =
  "const fs = require('node:fs'); const to = require('node:os').tmpdir() + '/copies' + performance.now(); ";
const through = (copy: string, write: string): string => `${copies}${copy}; ${write}; 'written'`;

/** `node_modules/.bin` holds a link to a program, as it does everywhere, and `node_modules/@own` one to a package. */
export const copiedLinks: readonly Escape[] = [
  escape(
    "cpSync of node_modules/.bin",
    through("fs.cpSync('node_modules/.bin', to, { recursive: true })", "fs.writeFileSync(to + '/tool', 'stolen')"),
  ),
  escape(
    "cpSync of a folder with links to packages",
    through("fs.cpSync('node_modules/@own', to, { recursive: true })", "fs.writeFileSync(to + '/lib/made.ts', 'x')"),
  ),
  escape(
    "cpSync with no filter, said so",
    through(
      "fs.cpSync('node_modules/.bin', to, { recursive: true, filter: undefined })",
      "fs.writeFileSync(to + '/tool', 'stolen')",
    ),
  ),
  escape(
    "cpSync with a filter that is not its own",
    through(
      "fs.cpSync('node_modules/.bin', to, Object.create({ filter: undefined, recursive: true }, { recursive: { value: true, enumerable: true } }))",
      "fs.writeFileSync(to + '/tool', 'stolen')",
    ),
  ),
  escape(
    "cpSync with options that change",
    through(
      "let n = 0; fs.cpSync('node_modules/.bin', to, { recursive: true, get filter() { return n++ === 0 ? () => true : undefined } })",
      "fs.writeFileSync(to + '/tool', 'stolen')",
    ),
  ),
  escape(
    "cpSync that keeps links as they are written",
    through(
      "fs.cpSync('node_modules/.bin', to, { recursive: true, verbatimSymlinks: true })",
      "fs.writeFileSync(to + '/tool', 'stolen')",
    ),
  ),
  escape(
    "cpSync by import",
    "const { cpSync } = await import('fs'); " +
      through("cpSync('node_modules/.bin', to, { recursive: true })", "fs.writeFileSync(to + '/tool', 'stolen')"),
  ),
  escape(
    "cpSync of the link itself",
    through("fs.cpSync('node_modules/.bin/tool', to)", "fs.writeFileSync(to, 'stolen')"),
  ),
  escape(
    "cp by promise",
    through(
      "await fs.promises.cp('node_modules/.bin', to, { recursive: true })",
      "fs.writeFileSync(to + '/tool', 'stolen')",
    ),
  ),
  escape(
    "cp by callback",
    through(
      "await new Promise<void>((ok, no) => fs.cp('node_modules/.bin', to, { recursive: true }, (e) => (e ? no(e) : ok())))",
      "fs.writeFileSync(to + '/tool', 'stolen')",
    ),
  ),
];

export const powers: readonly Escape[] = [
  escape("execSync", "require('node:child_process').execSync('id', { encoding: 'utf8' })"),
  escape("spawn", "require('node:child_process').spawn('id').pid"),
  escape("fork", "require('node:child_process').fork('src/money.ts').pid"),
  escape("cluster", "require('node:cluster').fork().id"),
  escape("execve", "process.execve(process.execPath, [process.execPath, '-e', '0'])"),
  escape("a thread", "new (require('node:worker_threads').Worker)('1', { eval: true }); 'started'"),
  escape(
    "a thread without flags",
    "new (require('node:worker_threads').Worker)('1', { eval: true, execArgv: [] }); 'started'",
  ),
  escape(
    "a thread by a constructor that was kept",
    "const { Worker } = process.getBuiltinModule('node:worker_threads'); new Worker('1', { eval: true, execArgv: [], env: {} }); 'started'",
  ),
  escape(
    "module.register, which starts a thread",
    "require('node:module').register('data:text/javascript,'); 'registered'",
  ),
  escape("an inspector session", "new (require('node:inspector').Session)().connect(); 'connected'"),
  escape(
    "an inspector session by promises",
    "new (require('node:inspector/promises').Session)().connect(); 'connected'",
  ),
  escape("opening the inspector", "require('node:inspector').open(0); 'open'"),
  escape("dlopen", "process.dlopen({ exports: {} } as any, 'OUT/x.node'); 'loaded'", /ERR_DLOPEN_DISABLED/),
  escape("require of an addon", "require('OUT/x.node')", /ERR_ACCESS_DENIED|ERR_MODULE_NOT_FOUND|ERR_DLOPEN_DISABLED/),
  escape("require of an addon in the project", "require('./node_modules/addon/x.node')", /ERR_DLOPEN_DISABLED/),
  escape("WASI", "new (require('node:wasi').WASI)({ version: 'preview1', preopens: { '/': '/' } }); 'made'"),
  escape("the internal binding fs", "process.binding('fs')"),
  escape("the internal binding spawn_sync", "process.binding('spawn_sync')"),
  escape("the internal binding process_wrap", "process.binding('process_wrap')"),
  escape("the internal binding tcp_wrap", "process.binding('tcp_wrap')"),
  escape("a diagnostic report", "process.report.writeReport('report.json')"),
  escape("a diagnostic report elsewhere", "process.report.directory = 'OUT'; process.report.writeReport()"),
  escape("a heap snapshot", "require('node:v8').writeHeapSnapshot('x.heapsnapshot')"),
  escape("a snapshot near the heap limit", "require('node:v8').setHeapSnapshotNearHeapLimit(1)"),
  escape("trace events", "require('node:trace_events').createTracing({ categories: ['v8'] }).enable(); 'traced'"),
  escape(
    "the compile cache",
    "const { status } = require('node:module').enableCompileCache('OUT'); if (status === 1) 'enabled'; else throw new Error('ERR_ACCESS_DENIED: status ' + status)",
  ),
  escape(
    "an OpenSSL engine",
    "require('node:crypto').setEngine('OUT/x.so'); 'loaded'",
    /ERR_CRYPTO_CUSTOM_ENGINE_NOT_SUPPORTED|ERR_ACCESS_DENIED/,
  ),
  escape(
    "node:sqlite",
    "new (require('node:sqlite').DatabaseSync)('OUT/x.db'); 'open'",
    /Cannot find module 'node:sqlite'/,
  ),
  escape(
    "node:sqlite by getBuiltinModule",
    "new (process.getBuiltinModule('node:sqlite').DatabaseSync)('OUT/x.db'); 'open'",
    /of undefined/,
  ),
  escape(
    "node:ffi",
    "await import('node:ffi').then((ffi: any) => ffi.dlopen('libc.so.6'))",
    /ERR_ACCESS_DENIED|Cannot find module 'node:ffi'/,
  ),
  escape(
    "rights by drop undone",
    "(process as any).permission.drop = () => {}; (process as any).permission.has = () => true; require('node:child_process').execSync('id')",
  ),
  escape(
    "a patched path.resolve",
    "Reflect.set(require('node:path'), 'resolve', () => process.cwd() + '/package.json'); require('node:fs').readFileSync('OUT/secret.txt', 'utf8')",
  ),
  escape(
    "a patched toNamespacedPath",
    "Reflect.set(require('node:path'), 'toNamespacedPath', () => process.cwd() + '/package.json'); require('node:fs').readFileSync('OUT/secret.txt', 'utf8')",
  ),
  escape(
    "a patched Buffer",
    "Buffer.prototype.toString = () => process.cwd() + '/package.json'; require('node:fs').readFileSync(Buffer.from('OUT/secret.txt'))",
  ),
  escape(
    "a polluted prototype",
    "(Object.prototype as any).execArgv = []; try { new (require('node:worker_threads').Worker)('1', { eval: true }) } finally { delete (Object.prototype as any).execArgv }",
  ),
];

export const signals: readonly Escape[] = [
  escape("process.kill of another process", "process.kill(PID, 0)"),
  escape("process.kill of the server", "process.kill(process.ppid, 'SIGUSR1')"),
  escape("process.kill of the whole group", "process.kill(0, 0)"),
  escape("process.kill of everything", "process.kill(-1, 0)"),
  escape("its own inspector by SIGUSR1", "process.kill(process.pid, 'SIGUSR1')"),
  escape("process._kill", "(process as any)._kill(PID, 0) === 0 && 'killed' || 0"),
  escape("process._debugProcess", "(process as any)._debugProcess(PID); 'signalled'"),
  escape("a changed priority", "require('node:os').setPriority(PID, 19); 'changed'"),
];

/** Answers an error where there is no network; how it reads differs, so the test asks the server what arrived. */
export const network: readonly Escape[] = [
  escape(
    "TCP",
    "await new Promise((ok, no) => require('node:net').connect(PORT, '127.0.0.1').on('connect', ok).on('error', no))",
  ),
  escape("fetch", "await (await fetch('http://127.0.0.1:PORT')).text()"),
  escape(
    "http",
    "await new Promise((ok, no) => require('node:http').get('http://127.0.0.1:PORT', ok).on('error', no))",
  ),
  escape(
    "http2",
    "await new Promise((ok, no) => require('node:http2').connect('http://127.0.0.1:PORT').on('connect', ok).on('error', no))",
  ),
  escape(
    "TLS",
    "await new Promise((ok, no) => require('node:tls').connect(PORT, '127.0.0.1').on('connect', ok).on('error', no))",
  ),
  escape(
    "a WebSocket",
    "await new Promise((ok, no) => { const s = new WebSocket('ws://127.0.0.1:PORT'); s.onopen = ok; s.onerror = () => no(new Error('refused')) })",
  ),
  escape("DNS", "await require('node:dns/promises').lookup('example.com')"),
  escape(
    "DNS by its own resolver",
    "await new (require('node:dns/promises').Resolver)({ timeout: 200, tries: 1 }).resolve4('example.com')",
  ),
  escape(
    "UDP",
    "await new Promise((ok, no) => { const s = require('node:dgram').createSocket('udp4'); s.on('error', no); s.send('x', PORT, '192.0.2.1', (e: any) => e ? no(e) : ok('sent')) })",
  ),
];

/** Answer no error, and must still do nothing outside of the image. */
export const withoutEffect: readonly Escape[] = [
  escape("reports on fatal errors", "process.report.reportOnFatalError = true; process.report.directory = 'OUT'"),
  escape(
    "a REPL history file",
    "await new Promise((done) => require('node:repl').start({ input: new (require('node:stream').PassThrough)(), output: new (require('node:stream').PassThrough)() }).setupHistory('OUT/history', done)).then(() => 0, () => 0)",
  ),
  escape(
    "a run of node:test",
    "await require('node:test').run({ files: ['OUT/secret.ts'] }).toArray().then((e: any[]) => e.length, () => 0)",
  ),
  escape("a glob outside", "if (require('node:fs').globSync('OUT/*').length > 0) throw new Error('seen')"),
  escape(
    "descriptors of other files",
    "const f = require('node:fs'); for (let fd = 4; fd < 60; fd++) { let s; try { s = f.fstatSync(fd) } catch { continue } const own = s.ino === f.statSync('src/money.ts').ino; if ((s.isFile() && !own) || s.isDirectory()) throw new Error('open: ' + fd) }",
  ),
];

/** What works in spite of the confinement, with the words of docs/security.md that admit it. */
export const known: readonly (Escape & { readonly admitted: string })[] = [
  { ...file("realpath", "fs.realpathSync('OUT/secret.txt')"), admitted: "whether a path outside exists" },
  {
    ...escape("findPackageJSON", "(require('node:module') as any).findPackageJSON('file://OUT/secret.ts')"),
    admitted: "whether a path outside exists",
  },
];

/** Flags of V8 that write to a file of the program's choice, end the process, or take a check away. */
export const v8Flags: readonly string[] = [
  "--trace-turbo-cfg-file=OUT/cfg",
  "--trace-turbo --trace-turbo-path=OUT",
  "--logfile=OUT/v8.log --log-all",
  "--perf-prof --perf-prof-path=OUT",
  "--redirect-code-traces --redirect-code-traces-to=OUT/code",
  "--turbo-profiling-output=OUT/profile",
  "--no-wasm-bounds-checks",
  "--allow-natives-syntax",
  "--expose-gc",
];

/** The roads to the function that sets them; `FLAG` is the flag. */
export const roadsToFlags: readonly Escape[] = [
  escape("require", "require('v8').setFlagsFromString('FLAG')"),
  escape("require of the default", "(require('node:v8').default ?? require('node:v8')).setFlagsFromString('FLAG')"),
  escape("an import", "import { setFlagsFromString } from 'node:v8'; setFlagsFromString('FLAG')"),
  escape("import()", "(await import('v8')).setFlagsFromString('FLAG')"),
  escape("the default of import()", "(await import('v8')).default.setFlagsFromString('FLAG')"),
  escape(
    "a data: module",
    "await import('data:text/javascript,import v8 from %22v8%22; v8.setFlagsFromString(%22FLAG%22)')",
  ),
  escape("getBuiltinModule", "process.getBuiltinModule('v8').setFlagsFromString('FLAG')"),
  escape("createRequire", "require('node:module').createRequire('/')('v8').setFlagsFromString('FLAG')"),
  escape("Module._load", "(require('node:module') as any)._load('v8').setFlagsFromString('FLAG')"),
  escape("the binding v8", "(process as any).binding('v8').setFlagsFromString('FLAG')"),
  escape(
    "another context",
    "require('vm').runInNewContext('load(`v8`).setFlagsFromString(`FLAG`)', { load: require })",
  ),
  escape(
    "a script that imports",
    "const vm = require('node:vm'); (await new vm.Script('import(`v8`)', { importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER }).runInThisContext()).setFlagsFromString('FLAG')",
  ),
  escape(
    "a frame of the stack",
    "Error.prepareStackTrace = (_, sites) => sites; try { require('v8').setFlagsFromString('FLAG') } catch (e: any) { const made = e.stack[0].getFunction(); delete (Error as any).prepareStackTrace; if (made === undefined) throw e; made('FLAG') }",
  ),
  escape(
    "the original, once it is deleted",
    "const v8 = require('v8'); Reflect.deleteProperty(v8, 'setFlagsFromString'); require('module').syncBuiltinESMExports(); (v8.setFlagsFromString ?? (await import('v8')).setFlagsFromString ?? (() => { throw new Error('ERR_ACCESS_DENIED') }))('FLAG')",
  ),
];

const connect = (path: string): string =>
  `await new Promise((ok, no) => require('node:net').connect(${path}).on('connect', () => ok('connected')).on('error', no))`;
const listen = (path: string): string =>
  `const s = require('node:net').createServer(); await new Promise((ok, no) => s.on('error', no).listen(${path}, () => ok('listens')))`;
const REFUSED = /EACCES|ERR_ACCESS_DENIED/;

/** `OUT/socket` and `socket` in the project are there, and somebody listens. */
export const sockets: readonly Escape[] = [
  escape("connect by path", connect("'OUT/socket'"), REFUSED),
  escape("connect by options", connect("{ path: 'OUT/socket' }"), REFUSED),
  escape("connect in the project", connect("process.cwd() + '/socket'"), REFUSED),
  escape("connect by a relative path", connect("{ path: 'socket' }"), REFUSED),
  escape("connect by ..", connect("require('os').tmpdir() + '/../..' + 'OUT/socket'"), REFUSED),
  escape(
    "connect by a path relative to the scratch folder",
    `const was = process.cwd(); process.cwd = () => require('os').tmpdir(); try { ${connect("{ path: 'socket' }")} } finally { process.cwd = () => was }`,
    REFUSED,
  ),
  escape("connect to an abstract name", connect("'\\0agentq'"), REFUSED),
  escape(
    "a text that changes its mind",
    connect("{ path: Object.assign(new String('OUT/socket'), {}) as any }"),
    /ERR_INVALID_ARG_TYPE|EACCES|ERR_ACCESS_DENIED/,
  ),
  escape(
    "http over it",
    "await new Promise((ok, no) => require('node:http').get({ socketPath: 'OUT/socket' }, ok).on('error', no))",
    REFUSED,
  ),
  escape(
    "tls over it",
    "await new Promise((ok, no) => require('node:tls').connect({ path: 'OUT/socket' }).on('connect', ok).on('error', no))",
    REFUSED,
  ),
  escape("a new one", listen("'OUT/made'"), REFUSED),
  escape("a new one in the project", listen("process.cwd() + '/made'"), REFUSED),
  escape(
    "a new one by its handle",
    "if (typeof (require('node:net') as any)._createServerHandle('OUT/made', -1, -1) === 'number') throw new Error('EACCES'); 'made'",
    REFUSED,
  ),
  escape(
    "the handle's own class",
    `const net: any = require('node:net'); const s = net.createServer(); await new Promise((ok, no) => s.on('error', no).listen(require('os').tmpdir() + '/own', ok));
    const Pipe = s._handle.constructor; const made = new Pipe(0); delete Pipe.prototype.connect; delete Pipe.prototype.bind;
    try { if (made.bind === undefined || made.bind('OUT/made') < 0) throw new Error('EACCES'); } finally { made.close(); s.close() } 'made'`,
    REFUSED,
  ),
];
