import { Worker } from "node:worker_threads";
import type { FitThread } from "../../ports/fit-thread.ts";

/** A thread that runs this program, from the first job on. It holds up the end of the process no longer than a job. */
export function fitThread(program: URL): FitThread {
  let worker: Worker | undefined;
  let open = 0;
  return {
    fit: (job, arrays) => {
      worker ??= new Worker(program);
      const thread = worker;
      open += 1;
      thread.ref();
      return new Promise<Uint8Array>((resolve, reject) => {
        const { port1, port2 } = new MessageChannel();
        const end = (act: () => void): void => {
          port1.close();
          thread.off("error", failed).off("exit", failed);
          open -= 1;
          if (open === 0) thread.unref();
          act();
        };
        const failed = (): void => {
          worker = undefined;
          end(() => reject(new Error("the thread ended without an answer")));
        };
        port1.once("message", (bytes: Uint8Array) => end(() => resolve(bytes)));
        thread.once("error", failed).once("exit", failed);
        thread.postMessage({ job, port: port2 }, [
          port2,
          ...arrays.filter((one) => one instanceof ArrayBuffer),
        ]);
      });
    },
  };
}
