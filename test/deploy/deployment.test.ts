import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { setupCommand } from '../../src/cli/setup.ts';
import { packageFile } from '../../src/foundation/files.ts';
import { platformSettings } from '../../src/foundation/platform.ts';
import { readSettings } from '../../src/foundation/settings.ts';
import { existingServices, portsOfServices, startPlatform } from '../../src/main.ts';
import { WORK_NAMES } from '../../src/services/analysis/dispatch/worker.ts';
import { render } from './chart.ts';

const read = (path: string) => readFileSync(packageFile('deploy', path), 'utf8');
const hostOf = (name: string) => name.replaceAll('_', '-');
// biome-ignore lint/suspicious/noExplicitAny: files of other programs, looked into here and there
type File = any;
const compose: File = parse(read('compose.yaml'));
const values: File = parse(read('helm/limpede/values.yaml'));
const services = await existingServices();
const ports = new Map(portsOfServices().map(({ name, port }) => [name, port]));
/** Settings that are read, and the addresses of services, which each process gets whether it calls them or not. */
const known = new Set([
  ...Object.keys(platformSettings.shape),
  ...services.flatMap(({ service }) => Object.keys(service.settings.shape)),
  ...services.map(({ name }) => `${name.toUpperCase()}_URL`),
]);
const filled = (text: string) => text.replace(/\$\{(\w+):\?\}/g, 'secret-of-a-test-0123456789');

describe('compose.yaml', () => {
  it('has a container for every service, on its port, started by its name', () => {
    for (const { name } of services) {
      const container = compose.services[hostOf(name)];
      expect(container.command, name).toEqual(['node', 'dist/limpede.js', 'up', name]);
      expect(container.healthcheck.test.join(' '), name).toContain(`127.0.0.1:${ports.get(name)}/ready`);
      expect(container.environment[`${name.toUpperCase()}_URL`]).toBe(
        `http://${hostOf(name)}:${ports.get(name)}`,
      );
      expect([container.read_only, container.tmpfs, container.cap_drop]).toEqual([true, ['/tmp'], ['ALL']]);
    }
  });

  it('opens the gateway and the login to the machine, and nothing else', () => {
    const open = Object.entries<File>(compose.services).filter(([, { ports: told }]) => told !== undefined);
    expect(open.map(([name, { ports: told }]) => [name, told])).toEqual([
      ['keycloak', ['127.0.0.1:8190:8080']],
      ['gateway', ['127.0.0.1:8080:8080']],
    ]);
  });

  it('names settings that exist, with values that every service takes', () => {
    const told: Record<string, string> = compose['x-settings'];
    expect(Object.keys(told).filter((name) => !known.has(name))).toEqual([]);
    const environment = Object.fromEntries(
      Object.entries(told).map(([name, value]) => [name, filled(value)]),
    );
    const problems = [platformSettings, ...services.map(({ service }) => service.settings)].flatMap(
      (schema) => {
        const result = readSettings(schema, environment);
        return 'problems' in result ? result.problems : [];
      },
    );
    expect(problems).toEqual([]);
  });

  it('asks for secrets that .env.example names, and for no others', () => {
    const asked = new Set([...read('compose.yaml').matchAll(/\$\{(\w+):\?\}/g)].map((match) => match[1]));
    const named = [...read('.env.example').matchAll(/^(\w+)=$/gm)].map((match) => match[1]);
    expect([...asked].sort()).toEqual(named.sort());
  });

  it('asks for a token wherever a service can, and tells it to those that call', () => {
    const told: Record<string, string> = compose['x-settings'];
    const asked = [...known].filter((name) => name.endsWith('_API_TOKENS'));
    expect(asked.length).toBeGreaterThan(0);
    for (const name of asked) {
      expect(told[name], name).toMatch(/^\$\{\w+:\?\}$/);
      expect(told[name.slice(0, -1)], name).toBe(told[name]);
      expect(values.secretSettings).toEqual(expect.arrayContaining([name, name.slice(0, -1)]));
    }
    expect(told.LLM_API_TOKEN).toBe(told.LLM_INTERNAL_TOKEN);
  });

  it('refers to engines, volumes and files that are there', () => {
    const volumes = new Set(Object.keys(compose.volumes));
    for (const [name, service] of Object.entries<File>(compose.services)) {
      for (const engine of Object.keys(service.depends_on ?? {}))
        expect(compose.services[engine], name).toBeDefined();
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('./'))
          expect(() => readFileSync(packageFile('deploy', source))).not.toThrow(/ENOENT/);
        else expect(volumes.has(source), volume).toBe(true);
      }
      expect(service.image, name).toMatch(/^[\w./-]+:[\w.-]+$/);
      expect(service.image, name).not.toMatch(/:latest$/);
    }
  });
});

describe('the realms of Keycloak', () => {
  it.each([
    ['clients', ['user']],
    ['admins', ['user', 'moderator', 'senior_moderator', 'auditor', 'admin']],
  ])('%s has its roles, the public client, and the audience that services ask for', (realm, roles) => {
    const file = JSON.parse(read(`keycloak/${realm}-realm.json`));
    expect(file.realm).toBe(realm);
    expect(file.roles.realm.map(({ name }: { name: string }) => name)).toEqual(roles);
    const [client] = file.clients;
    expect(client).toMatchObject({
      clientId: 'limpede-web',
      publicClient: true,
      directAccessGrantsEnabled: false,
    });
    expect(client.attributes['pkce.code.challenge.method']).toBe('S256');
    const audience = client.protocolMappers.find(({ name }: { name: string }) => name === 'audience');
    expect(audience.config['included.custom.audience']).toBe(
      compose['x-settings'][`AUTH_${realm.toUpperCase()}_AUDIENCE`],
    );
    expect(compose['x-settings'][`AUTH_${realm.toUpperCase()}_ISSUER`]).toMatch(`/realms/${realm}`);
  });
});

describe('the image', () => {
  const file = read('Dockerfile');
  it('runs the built program as somebody without rights, checks its health, and copies what is there', () => {
    expect(file).toMatch(/^USER node$/m);
    expect(file.indexOf('USER node')).toBeLessThan(file.indexOf('CMD ["node", "dist/limpede.js", "up"]'));
    expect(file).toContain(`127.0.0.1:${ports.get('gateway')}/ready`);
    for (const [, source = ''] of file.matchAll(/^COPY --from=build \/app\/(\S+) /gm))
      if (source !== 'dist') expect(() => readdirSync(packageFile(source)), source).not.toThrow(/ENOENT/);
    // What the program reads of its package has to be there; only `limpede reference` writes docs.
    const read = new Set(
      readdirSync(packageFile('src'), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .flatMap((path) => [
          ...readFileSync(packageFile('src', path), 'utf8').matchAll(/packageFile\(\s*'(\w+)'/g),
        ])
        .map((match) => match[1] ?? ''),
    );
    expect(read.has('optional')).toBe(true);
    for (const folder of read)
      if (folder !== 'docs') expect(file, folder).toContain(`COPY --from=build /app/${folder} ${folder}\n`);
    const named = [...(/^ENV (.*)$/m.exec(file)?.[1] ?? '').matchAll(/(\w+)=/g)].map(
      (match) => match[1] ?? '',
    );
    expect(named.filter((name) => name !== 'NODE_ENV' && !known.has(name))).toEqual([]);
  });
});

describe('the steps that make the image', () => {
  const file = read('Dockerfile');
  it('run scripts that there are, over files that the build is given', () => {
    const { scripts } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
    const run = [...file.matchAll(/npm run (\S+)/g)].map((match) => match[1] ?? '');
    expect(run).toContain('build');
    for (const name of run) expect(Object.keys(scripts)).toContain(name);
    const ignored = read('Dockerfile.dockerignore').trim().split('\n');
    const given = [...file.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      (match) => match[1]?.split(' ') ?? [],
    );
    expect(given).toContain('package-lock.json');
    // A script that is run is a file of the checkout, and none of those that are left out.
    const programs = run.flatMap((name) => /^node (\S+)/.exec(scripts[name])?.[1] ?? []);
    expect(programs.length).toBe(run.length);
    for (const path of [...given, ...programs]) {
      expect(existsSync(packageFile(path)), path).toBe(true);
      expect(ignored, path).not.toContain(path.split('/')[0]);
    }
  });
});

describe('optional parts of the image', () => {
  const parts = readdirSync(packageFile('optional')).toSorted();

  it('are installed by the command that installs them elsewhere, when a build argument names them', async () => {
    const { subCommands } = setupCommand({});
    expect(Object.keys((await subCommands) ?? {}).toSorted()).toEqual(parts);
    const file = read('Dockerfile');
    expect(file).toMatch(/^ARG LIMPEDE_OPTIONAL=""$/m);
    expect(file).toContain(
      'for part in $LIMPEDE_OPTIONAL; do node dist/limpede.js setup "$part" || exit 1; done',
    );
    expect(read('Dockerfile.dockerignore').split('\n')).toContain('**/node_modules');
  });

  it('and packages are named by compose, from .env, and told in its README', () => {
    const named = [...read('Dockerfile').matchAll(/^ARG (\w+)=""$/gm)].map((match) => match[1] ?? '');
    expect(named.length).toBeGreaterThan(0);
    for (const { name } of services) {
      const { args } = compose.services[hostOf(name)].build;
      expect(args).toEqual(Object.fromEntries(named.map((one) => [one, `\${${one}:-}`])));
    }
    for (const name of [...named, ...parts]) expect(read('README.md')).toContain(name);
  });
});

describe('the chart', () => {
  const documents: File[] = readdirSync(packageFile('deploy', 'helm', 'limpede', 'templates')).flatMap(
    (file) => {
      const text = render(read(`helm/limpede/templates/${file}`), values);
      return parseAllDocuments(text)
        .map((document) => {
          expect(document.errors, `${file}\n${text}`).toEqual([]);
          return document.toJS();
        })
        .filter((document) => document !== null);
    },
  );
  const ofKind = (kind: string) => documents.filter((document) => document.kind === kind);
  const nameOf = ({ metadata }: File): string => metadata.name;

  it('has a deployment, a service and a disruption budget for every service but the embedded provider', () => {
    const names = services.map(({ name }) => name).filter((name) => name !== 'identity');
    const expected = names.map((name) => `limpede-${hostOf(name)}`);
    expect(ofKind('Service').map(nameOf).sort()).toEqual(expected.toSorted());
    for (const kind of ['Deployment', 'PodDisruptionBudget'])
      expect(ofKind(kind).map(nameOf).sort()).toEqual([...expected, 'limpede-worker'].sort());
    for (const name of names) {
      const [container] = ofKind('Deployment').find((each) => nameOf(each) === `limpede-${hostOf(name)}`).spec
        .template.spec.containers;
      expect(container.ports[0].containerPort).toBe(ports.get(name));
      expect(container.args.slice(0, 2)).toEqual(['up', name]);
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
        expect(container[probe], name).toBeDefined();
    }
  });

  it('gives every container limits, no rights and a root that nobody writes to', () => {
    for (const deployment of ofKind('Deployment')) {
      const { spec } = deployment.spec.template;
      expect(spec.securityContext.runAsNonRoot).toBe(true);
      const [{ resources, securityContext }] = spec.containers;
      expect(resources.requests.cpu && resources.limits.memory).toBeTruthy();
      expect(securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      });
    }
  });

  it('names settings that exist, and leads every service to the others', () => {
    const [{ data }] = ofKind('ConfigMap');
    expect([...Object.keys(data), ...values.secretSettings].filter((name) => !known.has(name))).toEqual([]);
    for (const { metadata, spec } of ofKind('Service')) {
      const name = metadata.name.replace('limpede-', '').replaceAll('-', '_').toUpperCase();
      expect(data[`${name}_URL`]).toBe(`http://${metadata.name}:${spec.ports[0].port}`);
    }
  });

  it('scales workers on queues that exist, and lets only the ingress in from outside', () => {
    const [{ spec }] = ofKind('ScaledObject');
    const queues = spec.triggers.map(({ metadata }: File) =>
      metadata.queueName.replace('limpede.analysis.', ''),
    );
    expect(queues.filter((queue: string) => !WORK_NAMES.some((name) => name === queue))).toEqual([]);
    expect(queues.length).toBeGreaterThan(0);
    expect(spec.scaleTargetRef.name).toBe('limpede-worker');
    const [inside, entrance] = ofKind('NetworkPolicy');
    expect(inside.spec.ingress[0].from[0].podSelector.matchLabels).toEqual(
      inside.spec.podSelector.matchLabels,
    );
    expect(entrance.spec.podSelector.matchLabels).toEqual({ 'app.kubernetes.io/name': 'limpede-gateway' });
  });
});

// A process refuses a name that is no service: what the files start is asked of the same program.
it('the program knows the names that the files start', async () => {
  await expect(startPlatform({ LIMPEDE_SERVICES: 'nobody' })).rejects.toThrow('there is no service nobody');
});
