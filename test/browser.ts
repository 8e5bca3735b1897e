import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = process.env["LOOPWRIGHT_BROWSER"] ?? PLACES.find((place) => existsSync(place));

/** Whether pages can be tried here; says so loudly when not. */
export const HAS_BROWSER = executablePath !== undefined;
if (!HAS_BROWSER) process.stderr.write("SKIPPED: no Chromium here, pages are not opened\n");

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export interface OpenPage {
  readonly page: Page;
  /** Errors on the console, and requests that left the file. */
  readonly faults: readonly string[];
}

/** A page of one file in a browser without a network. */
export async function openPage(file: string): Promise<OpenPage> {
  const browser = await chromium.launch({ executablePath: executablePath ?? "", args: ARGS });
  onTestFinished(() => browser.close());
  const context = await browser.newContext({ offline: true });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) faults.push(request.url());
  });
  await page.goto(pathToFileURL(file).href);
  return { page, faults };
}
