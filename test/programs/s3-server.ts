// An S3 server that is not ours, with one bucket in a folder, on a port that it prints when it listens.
// @ts-expect-error The package has no types.
import S3rver from '@20minutes/s3rver';

const [directory = '', port = '0'] = process.argv.slice(2);
const server = new S3rver({
  address: '127.0.0.1',
  port: Number(port),
  directory,
  silent: true,
  configureBuckets: [{ name: 'limpede' }],
});
const address: { port: number } = await server.run();
process.stdout.write(`listens ${address.port}\n`);
