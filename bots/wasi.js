// Runs the entry of a bot in WebAssembly by WASI preview 1. Node.js gets this text as the program of `--eval`.
// The sandbox separates the bot from the host. WASI offers the standard streams, clocks, random bytes and the bot's
// own folder, which is read-only in the sandbox.

const { readFileSync, writeSync } = require("node:fs");
const { WASI } = require("node:wasi");

// The error number of WASI for a flag. Go asks for streams that do not block, and fails when a read has to wait.
const NOT_SUPPORTED = 58;

const [, entry, ...words] = process.argv;
let memory;
try {
  const module = new WebAssembly.Module(readFileSync(entry));
  if (!WebAssembly.Module.exports(module).some(({ name }) => name === "_start")) {
    throw new Error(`${entry} does not export the function _start. Build a WASI preview 1 command, not a library`);
  }
  const wasi = new WASI({ version: "preview1", args: [entry, ...words], preopens: { "/": "." }, returnOnExit: true });
  const imports = wasi.getImportObject();
  imports.wasi_snapshot_preview1.fd_fdstat_set_flags = () => NOT_SUPPORTED;
  const instance = new WebAssembly.Instance(module, imports);
  memory = instance.exports.memory;
  process.exitCode = wasi.start(instance);
} catch (error) {
  const trace = String(error.stack).split("\n").slice(1);
  const lines = [`${error}`, ...trace.filter((line) => line.includes("wasm://"))];
  if (memory) lines.push(`The memory of the module has ${memory.buffer.byteLength >> 20} MiB.`);
  writeSync(2, `${lines.join("\n")}\n`);
  process.exitCode = 1;
}
