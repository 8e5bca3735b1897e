import { type MessagePort, parentPort } from "node:worker_threads";
import { doneHead, type HeadJob } from "../learn/head-job.ts";

/** Fits heads for the thread that started it. A failure ends this one with an error, of which the other one is told. */
parentPort?.on("message", ({ job, port }: { readonly job: HeadJob; readonly port: MessagePort }) => {
  const bytes = doneHead(job);
  port.postMessage(bytes, bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []);
});
