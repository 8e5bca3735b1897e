import { text } from "node:stream/consumers";
import { bridge } from "../adapters/providers/acp/bridge.ts";

/** Started as the process of an attempt; see `adapters/providers/acp/bridge.ts`. */
async function main(): Promise<void> {
  const order = JSON.parse(process.argv[2] ?? "");
  const code = await bridge(order, {
    prompt: await text(process.stdin),
    say: (line) => process.stdout.write(`${JSON.stringify(line)}\n`),
    onTerm: (handler) => {
      process.once("SIGTERM", handler);
      process.once("SIGINT", handler);
    },
  });
  process.exitCode = code;
  process.stdin.destroy();
}

void main();
