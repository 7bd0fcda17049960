import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPlatform } from '../../src/main.ts';
import {
  type AnalysisSession,
  analysisSession,
} from '../../src/services/analysis/resources/analysis-session.ts';
import { startCampaign } from '../campaign.ts';
import { describeServer, freshPostgres } from '../foundation/database/engines.ts';
import { startS3Server } from '../foundation/objects/s3-server.ts';
import { describeRedis } from '../foundation/redis/server.ts';
import { hasFfmpeg, skippedName } from '../media/ffmpeg.ts';
import { eventually } from '../patience.ts';
import { createEnvironment, type Environment, talkTo } from '../running-platform.ts';
import { amqpUrl, describeRabbit } from '../services/analysis/broker/rabbitmq/server.ts';
import { tone } from '../services/extractors/sounds.ts';
import { type Content, DEPENDENCIES, type Dependency } from './dependencies.ts';
import { FAULTS, type Fault, type FaultyWay, openFaultyWay } from './faulty-way.ts';

const TEXT =
  'They are HIDING the truth from you! Doctors admit that this one trick destroys the virus overnight. Share this before it is deleted!';
const ARTICLE = `<html lang="en"><head><title>Council approves budget</title></head><body><article><h1>Council approves budget</h1>${'<p>The city council approved a budget of 12 million euros for buses on Tuesday, according to minutes published by the clerk.</p>'.repeat(8)}</article></body></html>`;

/**
 * What a text model may always say of what it is asked: that it found nothing, that each passage of a claim is mere context, and the
 * score that it is shown.
 */
function completionOf(request: string) {
  const passages = request.includes('CLAIM: ') ? [...request.matchAll(/\\n\\n\[(\d+)\] /g)] : [];
  const score = Number(/risk_score\\?": ?([\d.]+)/.exec(request)?.[1] ?? 0).toFixed(1);
  const content = JSON.stringify({
    findings: [],
    claims: [],
    stances: passages.map(([, number]) => ({ passage: Number(number), stance: 'context' })),
    explanation_en: `The risk score is ${score}. The wording of this text was checked, and the passages that stand out are marked in it.`,
    explanation_ro: `Scorul de risc este ${score.replace('.', ',')}. Formulările acestui text au fost verificate, iar pasajele care ies în evidență sunt marcate.`,
  });
  return {
    id: '1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
    usage: { prompt_tokens: 10, completion_tokens: 40, total_tokens: 50 },
  };
}
const MODELS = { object: 'list', data: [{ id: 'm', object: 'model' }] };

/** A small picture; what follows after its end makes it another file. */
async function pictureOf(name: string): Promise<Buffer> {
  const size = { width: 64, height: 64, channels: 3, background: 'teal' } as const;
  const picture = await sharp({ create: size }).jpeg().toBuffer();
  return Buffer.concat([picture, Buffer.from(name)]);
}

/** A film of one second without sound; a box that players pass over makes it another file. */
function filmOf(film: Buffer, name: string): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(8 + name.length);
  return Buffer.concat([film, size, Buffer.from(`free${name}`)]);
}

function makeFilm(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'limpede-degradation-'));
  const path = join(folder, 'film.mp4');
  const source = ['-f', 'lavfi', '-i', 'testsrc=d=1:s=160x120:r=5'];
  execFileSync('ffmpeg', ['-v', 'error', ...source, '-c:v', 'libx264', '-pix_fmt', 'yuv420p', path]);
  const film = readFileSync(path);
  rmSync(folder, { recursive: true });
  return film;
}

/** A host of pages, of pictures that are all different, and of a text model. */
async function startHost() {
  let film: Buffer | undefined;
  const server = createServer(async (request, response) => {
    const asked = Buffer.concat(await request.toArray()).toString();
    const { url = '' } = request;
    const isModel = url.startsWith('/v1/');
    response.setHeader('content-type', isModel ? 'application/json' : 'text/html');
    if (isModel) response.end(JSON.stringify(url.endsWith('/models') ? MODELS : completionOf(asked)));
    else if (url.startsWith('/picture')) response.end(await pictureOf(url));
    else if (url.startsWith('/sound')) response.end(tone(200 + Number(url.split('/').at(-1)), 1));
    else if (url.startsWith('/film')) {
      film ??= makeFilm();
      response.end(filmOf(film, url));
    } else response.end(ARTICLE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { host, close };
}

const table = startCampaign('degradation table');
/** Faults that show at once; the others wait for time limits: only in a long run. */
const QUICK: readonly Fault[] = ['absent', 'refusing', 'failing', 'babbling'];
const faultsOf = ({ protocol }: Dependency) =>
  // What is no HTTP has no status 500: its rubbish is the same.
  (table.long ? FAULTS : QUICK).filter((fault) => protocol === 'http' || fault !== 'failing');
const rows = DEPENDENCIES.flatMap((dependency) =>
  faultsOf(dependency).map((fault) => ({ dependency, name: dependency.name, fault })),
);
const chosen = table.pick(rows, 4);
/** Contents of every run; the others only where a row needs them. */
const ALWAYS: readonly Content[] = ['text', 'page', 'picture'];
const RECORDINGS: readonly Content[] = ['sound', 'film'];
/** A recording waits for the whole time limit of each service that drips, one after the other. */
const LATEST_MS = 600_000;
/** Whether it is analysed whole here: recordings are where ffmpeg is. */
const isAnalysed = (content: Content) => hasFfmpeg || !RECORDINGS.includes(content);
/** Whether a text model reads it. */
const isRead = (content: Content) => content === 'text' || content === 'page';
/** Each fault of all at once, with what is lost by it: recordings apart, for they take longest. */
const together = table.pick(
  (table.long ? FAULTS : QUICK).flatMap((fault) => [
    { fault, contents: ALWAYS },
    { fault, contents: RECORDINGS },
  ]),
  1,
);
/** What is tried of both here; the rest is skipped. */
const tried = chosen.filter(({ dependency }) => isAnalysed(dependency.content));
const triedTogether = together.filter(({ contents }) => contents.every(isAnalysed));

/** The whole platform, with a way to each dependency on which that can fail. */
async function openWorld() {
  const database = await freshPostgres();
  const s3 = await startS3Server();
  const site = await startHost();
  const { environment: own, remove } = await createEnvironment({
    WEB_ALLOWED_PRIVATE_HOSTS: site.host,
    LLM_CPU_URL: `http://${site.host}`,
    // The way to the gateway is no place of ours, so that its callers are limited like strangers.
    LLM_RATE_LIMIT_RPS: '1000',
    LLM_RATE_LIMIT_BURST: '1000',
    AMQP_PREFIX: `limpede-test-${randomUUID().slice(0, 8)}`,
    REDIS_PREFIX: `limpede-test-${randomUUID().slice(0, 8)}`,
  });
  const places: Record<string, string | undefined> = {
    objects: s3.endpoint,
    database: database.url,
    broker: amqpUrl,
  };
  const portOf = ({ name }: Dependency) => {
    if (name === 'redis') return 6379;
    const url = places[name];
    return url === undefined ? Number(own[`${name.toUpperCase()}_PORT`]) : Number(new URL(url).port || 5672);
  };
  const ways = new Map<string, FaultyWay>();
  const environment: Environment = { ...own };
  for (const dependency of DEPENDENCIES) {
    const way = await openFaultyWay(portOf(dependency), dependency.protocol);
    ways.set(dependency.name, way);
    Object.assign(environment, dependency.settings(way.port, database.url));
  }
  const running = await startPlatform(environment);
  const close = async () => {
    await running.stop();
    for (const way of ways.values()) await way.close();
    site.close();
    await s3.remove();
    await database.remove();
    await remove();
  };
  return { ...talkTo(environment), ways, host: site.host, close };
}

describeRedis('a table of what fails', () => {
  describeRabbit('with RabbitMQ', () => {
    describeServer('and PostgreSQL', () => {
      let world: Awaited<ReturnType<typeof openWorld>>;
      let token: string;
      let admin: string;
      const healthy: Partial<Record<Content, AnalysisSession>> = {};
      let media = 0;

      const bodyOf = (content: Content) => {
        if (content === 'text') return { media_type: 'text', text: TEXT };
        if (content === 'page') return { media_type: 'url', url: `http://${world.host}/story` };
        // Each time another one: bytes that are stored already need no store.
        const mediaType = ({ picture: 'image', sound: 'audio', film: 'video' } as const)[content];
        return { media_type: mediaType, media_url: `http://${world.host}/${content}/${media++}` };
      };
      const ask = (content: Content, form = 'analyze') =>
        world.ask(`/api/v3/pipeline/${form}`, { token, body: bodyOf(content) });
      const analyze = async (content: Content) => {
        const { status, text, body } = await ask(content);
        expect(status, text).toBe(200);
        // What is looked at may take longer than an answer: then it goes on.
        const isLate = !isRead(content) && body.data.status === 'running';
        const ended = isLate ? (await world.final(body.data.session_id, token, LATEST_MS)).body : body;
        const session = analysisSession.parse(ended.data);
        expect(session.status).toBe('completed');
        return session;
      };
      const losses = ({ degraded }: AnalysisSession) =>
        degraded.filter(({ effect }) => effect !== 'own_engine').map(({ dependency }) => dependency);
      /** A session that lost just these: each names them, and one on a busy machine may have lost more to its time limits. */
      const analyzeLosing = async (content: Content, expected: readonly string[]) => {
        let session = await analyze(content);
        expect(losses(session)).toEqual(expect.arrayContaining([...expected]));
        return eventually(async () => {
          if (losses(session).length !== expected.length) session = await analyze(content);
          expect(losses(session)).toEqual(expected);
          return session;
        });
      };
      /** Asks until everything is as it was before anything failed: health first, since an analysis that is too early is made again. */
      const heal = async (names: readonly string[]) => {
        for (const name of names) await world.ways.get(name)?.fail(undefined);
        const healed = DEPENDENCIES.filter(
          ({ name, content }) => names.includes(name) && isAnalysed(content),
        );
        const checks = healed.flatMap(({ check }) => (check === undefined ? [] : [check[0]]));
        await eventually(async () => {
          const deep = await world.ask('/api/v3/health/all', { token: admin });
          for (const check of checks) expect(deep.body.checks[check].status, check).toBe('healthy');
        });
        for (const content of new Set(healed.map(({ content }) => content)))
          await eventually(async () => expect(losses(await analyze(content))).toEqual([]));
      };

      /** Analyses it while nothing fails, for what fails is compared with that. */
      const learn = async (content: Content) => {
        healthy[content] ??= await eventually(async () => {
          const session = await analyze(content);
          expect(losses(session)).toEqual([]);
          if (isRead(content)) expect(session.techniques?.llm_deep).toBe('m');
          return session;
        });
      };

      beforeAll(async () => {
        world = await openWorld();
        token = await world.token({ user: 'ana' });
        admin = await world.token({ realm: 'admins', role: 'admin' });
        // A platform that has just started may still look for its models.
        for (const content of new Set([...ALWAYS, ...tried.map(({ dependency }) => dependency.content)]))
          await learn(content);
      });
      afterAll(async () => {
        table.summary(
          `${tried.length} of ${rows.length} rows, and ${triedTogether.length} with all at once were tried`,
        );
        await world?.close();
      });

      it('begins with nothing that fails', () => {
        for (const { degraded } of Object.values(healthy))
          expect(degraded.filter(({ effect }) => effect !== 'own_engine')).toEqual([]);
        expect(healthy.text?.components_run).toEqual(['techniques', 'ai_tampered', 'claims']);
        expect(healthy.page?.components_run).toEqual(['techniques', 'ai_tampered', 'claims', 'domain']);
        for (const { techniques, claims } of [healthy.text, healthy.page].map((session) => ({ ...session })))
          expect([techniques?.llm_deep, claims?.llm_extraction]).toEqual(['m', 'm']);
      });

      it.skip.each(chosen.filter((row) => !tried.includes(row)))(
        skippedName('$name that is $fault'),
        () => undefined,
      );
      it.each(tried)('$name that is $fault', async ({ dependency, fault }) => {
        const { name, content, effect, check } = dependency;
        await world.ways.get(name)?.fail(fault);
        try {
          if (effect === 'refused') {
            const answer = await ask(content);
            expect([answer.status, answer.body.error_code]).toEqual([503, 'service_unavailable']);
            expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
          } else {
            const session = await analyzeLosing(content, effect === 'named' ? [name] : []);
            const before = healthy[content]?.confidence ?? 0;
            if (effect === 'unseen') expect(session.confidence).toBe(before);
            else if (!isRead(content)) expect(session.confidence).toBeLessThanOrEqual(before);
            else expect(session.confidence).toBeLessThan(before);
          }
          if (check !== undefined)
            await eventually(async () => {
              const deep = await world.ask('/api/v3/health/all', { token: admin });
              expect(deep.body.checks[check[0]].status).toBe(check[1]);
              expect(deep.status, deep.text).toBe(check[1] === 'unhealthy' ? 503 : 200);
            });
          // What the queues accept meanwhile completes, at the latest when all is well again.
          const later = effect === 'refused' ? undefined : await ask(content, 'analyze-async');
          if (later !== undefined) expect(later.status, later.text).toBe(202);
          await heal([name]);
          if (later !== undefined) {
            const end = await world.final(later.body.data.session_id, token);
            expect(end.body.data.status).toBe('completed');
          }
        } finally {
          await world.ways.get(name)?.fail(undefined);
        }
      });

      it.skip.each(together.filter((row) => !triedTogether.includes(row)))(
        skippedName('$contents where all but the database is $fault'),
        () => undefined,
      );
      it.each(triedTogether)(
        '$contents where all but the database is $fault',
        async ({ fault, contents }) => {
          for (const content of contents) await learn(content);
          const failing = DEPENDENCIES.filter(({ effect }) => effect !== 'refused');
          for (const { name } of failing) await world.ways.get(name)?.fail(fault);
          try {
            // What is behind another that fails is not asked: that one is named in its place.
            const namedOf = (each: Dependency): string =>
              failing.filter(({ name }) => name === each.behind).map(namedOf)[0] ?? each.name;
            for (const content of contents) {
              const session = await analyze(content);
              const named = failing.filter((each) => each.content === content && each.effect === 'named');
              expect(named).not.toEqual([]);
              expect(losses(session)).toEqual(expect.arrayContaining(named.map(namedOf)));
              expect(session.confidence).toBeLessThanOrEqual(healthy[content]?.confidence ?? 0);
            }
            await heal(failing.map(({ name }) => name));
          } finally {
            for (const { name } of failing) await world.ways.get(name)?.fail(undefined);
          }
        },
      );
    });
  });
});
