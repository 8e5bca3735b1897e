import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeOf, sqliteStore, temporaryHome } from "../../../test/contract/store-fixtures.ts";
import { sha256 } from "../../core/hash.ts";
import { must } from "../../core/result.ts";

describe("blobs", () => {
  test.skipIf(process.platform === "win32")(
    "a blob is a file named by its hash that only the user reads",
    async () => {
      const home = temporaryHome();
      const { store } = await sqliteStore(home);
      const digest = must(await store.putBlob("hello"));
      const folder = join(home, "blobs", digest.slice(0, 2));
      expect(readdirSync(folder)).toEqual([digest.slice(2)]);
      expect(statSync(join(folder, digest.slice(2))).mode & 0o777).toBe(0o600);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    },
  );

  test("damaged bytes are reported, and putting the blob again mends it", async () => {
    const home = temporaryHome();
    const { store } = await sqliteStore(home);
    const digest = must(await store.putBlob("hello"));
    writeFileSync(join(home, "blobs", digest.slice(0, 2), digest.slice(2)), "hellO");
    expect(codeOf(await store.blob(digest))).toBe("store-damaged");
    must(await store.putBlob("hello"));
    expect(Buffer.from(must(await store.blob(digest)) ?? []).toString()).toBe("hello");
  });

  test("writing the same bytes again writes no file", async () => {
    const home = temporaryHome();
    const points: string[] = [];
    const { store } = await sqliteStore(home, { onWritePoint: (name) => void points.push(name) });
    await Promise.all(["same", "same"].map((text) => store.putBlob(text)));
    await store.putBlob("same");
    expect(points.filter((name) => name === "blob:before").length).toBeLessThan(3);
    const digest = sha256("same");
    expect(readdirSync(join(home, "blobs", digest.slice(0, 2)))).toEqual([digest.slice(2)]);
  });

  test("a blob folder that cannot be written is a problem and leaves no file", async () => {
    const home = temporaryHome();
    const { store } = await sqliteStore(home);
    rmSync(join(home, "blobs"), { recursive: true });
    writeFileSync(join(home, "blobs"), "in the way");
    expect(codeOf(await store.putBlob("hello"))).toBe("store-unusable");
  });
});
