import { describe, expect, it } from 'vitest';
import { startMessage } from '../../src/cli/up.ts';

const running = {
  publicUrl: 'http://127.0.0.1:8080',
  home: '/data/.limpede',
  database: 'embedded',
  services: [{ name: 'gateway', url: 'http://127.0.0.1:8080' }],
  firstPasswords: {},
};

describe('the greeting of a start', () => {
  it('says where it is and gives a request to copy', () => {
    const text = startMessage(running, {});
    expect(text).toContain('Limpede is ready at http://127.0.0.1:8080');
    expect(text).toContain('Data: /data/.limpede');
    expect(text).toMatch(/curl -s http:\/\/127\.0\.0\.1:8080\/agent-v3\/api\/v3\/pipeline\/analyze/);
    expect(text).toContain('$(./bin/limpede token)');
    const body = /-d '(\{.*\})'/.exec(text)?.[1] ?? '';
    expect(JSON.parse(body)).toMatchObject({ media_type: 'text' });
    expect(text).not.toContain('shown this once');
  });

  it('shows new passwords once, and names PostgreSQL', () => {
    const text = startMessage(
      {
        ...running,
        database: 'postgres',
        firstPasswords: { reader: 'p1', admin: 'p2' },
      },
      {},
    );
    expect(text).toMatch(
      /shown this once:\n +reader +p1\n +admin +p2\n +Replace these: .* users password NAME/,
    );
    expect(text).toContain('database: PostgreSQL');
  });

  it('gives the token command the settings that another terminal does not have', () => {
    const text = startMessage(running, {
      LIMPEDE_PORT: '9000',
      LIMPEDE_HOME: "/data/O'Neil",
      LIMPEDE_HOST: '::',
    });
    const command = `LIMPEDE_HOME='/data/O'\\''Neil' LIMPEDE_PORT=9000 ./bin/limpede token`;
    expect(text).toContain(`\n    ${command}\n`);
    expect(text).toContain(`Bearer $(${command})`);
  });

  it('of services without the gateway offers no request', () => {
    const text = startMessage({ ...running, services: [{ name: 'llm', url: 'http://127.0.0.1:8082' }] }, {});
    expect(text).not.toContain('curl');
    expect(text).toContain('llm is ready at http://127.0.0.1:8082');
    expect(text).not.toContain('8080');
  });
});
