import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { databaseFile, prepareHome, refuseNetworkFileSystem } from "./home.ts";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "loopwright-home-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("the home folder", () => {
  test.each([
    [0x6969, "NFS"],
    [0x517b, "SMB"],
    [0xfe534d42, "SMB"],
    [0xff534d42, "CIFS"],
    [0x5346414f, "AFS"],
    [0x73757245, "Coda"],
    [0x564c, "NCP"],
    [0x01021997, "9p"],
    [0x00c36400, "Ceph"],
    [0x0bd00bd0, "Lustre"],
    [0x01161970, "GFS2"],
    [0x7461636f, "OCFS2"],
    [0x47504653, "GPFS"],
  ])("a file system of type 0x%x is refused as %s", (type, name) => {
    const refused = refuseNetworkFileSystem(temporaryFolder(), () => type);
    expect(refused).toMatchObject({ ok: false, problem: { code: "store-network-fs" } });
    expect(refused.ok ? "" : refused.problem.message).toContain(`(${name})`);
  });

  test("the nearest folder that exists tells the file system of one that does not", () => {
    const folder = temporaryFolder();
    const asked: string[] = [];
    const local = refuseNetworkFileSystem(join(folder, "a/b"), (path) => {
      asked.push(path);
      return 0xef53;
    });
    expect([local.ok, asked]).toEqual([true, [folder]]);
    expect(refuseNetworkFileSystem(folder).ok).toBe(true);
  });

  test.skipIf(process.platform === "win32")("what it makes is the user's alone", () => {
    const home = join(temporaryFolder(), "deep/home");
    expect(prepareHome(home).ok).toBe(true);
    const mode = (path: string) => statSync(path).mode & 0o777;
    expect([mode(home), mode(join(home, "blobs")), mode(databaseFile(home))]).toEqual([0o700, 0o700, 0o600]);
  });

  test("a file in the way is a problem, not an exception", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "");
    expect(prepareHome(join(folder, "file/home"))).toMatchObject({
      ok: false,
      problem: { code: "store-unusable" },
    });
  });
});
