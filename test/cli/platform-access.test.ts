import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePorts } from '../../src/cli/platform-access.ts';

it('ports for one call differ, are free, and no outgoing connection takes one in between', async () => {
  const ports = await freePorts(40);
  expect(new Set(ports).size).toBe(40);
  for (const port of ports) {
    // Systems take ports for outgoing connections from 32768 on (Linux), or from 49152 on.
    expect(port).toBeLessThan(32_768);
    const server = createServer();
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(port, '127.0.0.1', resolve),
    );
    await new Promise((resolve) => server.close(resolve));
  }
});
