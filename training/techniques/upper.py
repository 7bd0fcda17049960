"""Tunes a second upper layer of the sentence encoder to persuasion techniques (models/techniques-upper.bin).

Usage: python upper.py FOLDER FOLD [rounds]; FOLDER is what export-pieces.ts wrote; FOLD 0 to 4 leaves the articles of one fold out and
writes what the layer says of them, FOLD all learns from every article and writes the weights. Needs torch (any CPU build), and `layer1` of export-layer.ts.
"""
import json
import math
import sys
import time

import numpy as np
import torch
from torch import nn

WIDTH, HEADS, FEED, COLUMNS, FOLDS = 512, 4, 1536, 32, 5
# Columns: inside a span; the label of a span (14); any technique in the sentence; each label in the sentence (14).
TOKEN, NAME, ANY, LABELS, COUNT = 0, 1, 15, 16, 14
torch.set_num_threads(1)


class Upper(nn.Module):
    def __init__(self, lists, dropout):
        super().__init__()
        get = lambda name, *shape: nn.Parameter(torch.from_numpy(lists[name].reshape(shape).copy()))
        self.attention_norm, self.attention_norm_bias = get('an_s', WIDTH), get('an_b', WIDTH)
        self.attention_in, self.attention_in_bias = get('ai_w', WIDTH, 3 * WIDTH), get('ai_b', 3 * WIDTH)
        self.attention_out, self.attention_out_bias = get('ao_w', WIDTH, WIDTH), get('ao_b', WIDTH)
        self.feed_norm, self.feed_norm_bias = get('fn_s', WIDTH), get('fn_b', WIDTH)
        self.feed_in, self.feed_in_bias = get('fi_w', WIDTH, FEED), get('fi_b', FEED)
        self.feed_out, self.feed_out_bias = get('fo_w', FEED, WIDTH), get('fo_b', WIDTH)
        self.heads = nn.Parameter(torch.zeros(WIDTH, COLUMNS))
        self.heads_bias = nn.Parameter(torch.zeros(COLUMNS))
        self.drop = nn.Dropout(dropout)
        self.last = nn.Dropout(0.3)

    def forward(self, x, mask):
        rows, places, _ = x.shape
        h = nn.functional.layer_norm(x, (WIDTH,), self.attention_norm, self.attention_norm_bias, 1e-6)
        parts = torch.addmm(self.attention_in_bias, h.view(-1, WIDTH), self.attention_in)
        q, k, v = parts.view(rows, places, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        likeness = (q @ k.transpose(-2, -1) / math.sqrt(WIDTH // HEADS)).masked_fill(~mask[:, None, None, :], -1e9)
        a = torch.softmax(likeness.float(), -1).to(v.dtype) @ v
        a = a.transpose(1, 2).reshape(-1, WIDTH)
        r = x.reshape(-1, WIDTH) + self.drop(torch.addmm(self.attention_out_bias, a, self.attention_out))
        h = nn.functional.layer_norm(r, (WIDTH,), self.feed_norm, self.feed_norm_bias, 1e-6)
        h = self.drop(torch.relu(torch.addmm(self.feed_in_bias, h, self.feed_in)))
        r = r + torch.addmm(self.feed_out_bias, h, self.feed_out)
        return torch.addmm(self.heads_bias, self.last(r), self.heads).view(rows, places, COLUMNS)


class Data:
    def __init__(self, folder):
        told = json.load(open(f'{folder}/sentences.json'))
        self.sentences = told['sentences']
        counts = np.array([len(s['pieces']) for s in self.sentences])
        self.starts = np.concatenate([[0], np.cumsum(counts)])
        self.counts = counts
        self.states = np.memmap(f'{folder}/lower.f32', dtype=np.float32, mode='r').reshape(-1, WIDTH)
        self.fold = np.array([s['article'] % FOLDS for s in self.sentences])
        self.inside = np.zeros(self.starts[-1], dtype=np.float32)
        self.spans = []
        self.labels = np.zeros((len(self.sentences), COUNT), dtype=np.float32)
        self.any = np.array([1.0 if s['spans'] else 0.0 for s in self.sentences], dtype=np.float32)
        for at, s in enumerate(self.sentences):
            own = []
            for start, end, label in s['spans']:
                self.labels[at, label] = 1
                on = [i for i, (a, b) in enumerate(s['pieces']) if a < end and b > start]
                if on:
                    own.append((on[0], on[-1] + 1, label))
                    self.inside[self.starts[at] + on[0]:self.starts[at] + on[-1] + 1] = 1
            self.spans.append(own)

    def batches(self, chosen, size, random):
        """Sentences of like length together, about `size` pieces a batch."""
        jitter = self.counts[chosen] * (1 + 0.1 * random.random(len(chosen)))
        order = chosen[np.argsort(jitter)]
        batches, now, longest = [], [], 0
        for at in order:
            longest = max(longest, self.counts[at])
            if now and longest * (len(now) + 1) > size:
                batches.append(now)
                now, longest = [], self.counts[at]
            now.append(at)
        batches.append(now)
        random.shuffle(batches)
        return batches

    def load(self, batch):
        longest = max(self.counts[at] for at in batch)
        x = np.zeros((len(batch), longest, WIDTH), dtype=np.float32)
        mask = np.zeros((len(batch), longest), dtype=bool)
        inside = np.zeros((len(batch), longest), dtype=np.float32)
        for row, at in enumerate(batch):
            n, start = self.counts[at], self.starts[at]
            x[row, :n], mask[row, :n], inside[row, :n] = self.states[start:start + n], True, self.inside[start:start + n]
        return torch.from_numpy(x), torch.from_numpy(mask), torch.from_numpy(inside)


def loss_of(data, batch, out, mask, inside):
    bce = nn.functional.binary_cross_entropy_with_logits
    full = mask.float()
    mean = (out * full[:, :, None]).sum(1) / full.sum(1, keepdim=True)
    token = (bce(out[:, :, TOKEN], inside, reduction='none') * full).sum() / full.sum()
    some = bce(mean[:, ANY], torch.from_numpy(data.any[batch]))
    labels = bce(mean[:, LABELS:LABELS + COUNT], torch.from_numpy(data.labels[batch])) * COUNT
    named, wanted = [], []
    for row, at in enumerate(batch):
        for start, end, label in data.spans[at]:
            named.append(out[row, start:end, NAME:NAME + COUNT].mean(0))
            wanted.append(label)
    name = nn.functional.cross_entropy(torch.stack(named), torch.tensor(wanted), reduction='sum') / (0.4 * len(batch)) if named else 0.0
    return 1.5 * token + some + 0.5 * labels + 0.3 * name


def train(data, lists, chosen, rounds, rate=5e-4, head_rate=5e-4, size=1500, seed=1, dropout=0.2, decay=0.01, tell=None):
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    model = Upper(lists, dropout)
    with torch.no_grad():
        share = lambda values: torch.as_tensor(np.log(values / (1 - values)), dtype=torch.float32)
        model.heads_bias[TOKEN], model.heads_bias[ANY] = share(data.inside.mean()), share(data.any.mean())
        model.heads_bias[LABELS:LABELS + COUNT] = share(data.labels.mean(0))
    heads = [model.heads, model.heads_bias]
    rest = [p for n, p in model.named_parameters() if not n.startswith('heads')]
    optimiser = torch.optim.AdamW(
        [{'params': rest, 'lr': rate}, {'params': heads, 'lr': head_rate}], betas=(0.9, 0.98), weight_decay=decay)
    plan = [batch for _ in range(rounds) for batch in data.batches(chosen, size, random)]
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1, (step + 1) / 50) * max(0.0, 1 - step / len(plan)))
    started, seen = time.time(), 0.0
    for step, batch in enumerate(plan):
        x, mask, inside = data.load(batch)
        model.train()
        with torch.autocast('cpu', dtype=torch.bfloat16):
            out = model(x, mask)
        loss = loss_of(data, batch, out.float(), mask, inside)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        seen += loss.item()
        if (step + 1) % 100 == 0:
            print(f'step {step + 1} of {len(plan)}, loss {seen / 100:.4f}, {time.time() - started:.0f} s', flush=True)
            seen = 0.0
        if tell and (step + 1) % (len(plan) // rounds) == 0:
            tell(model)
    return model


def read(data, model, chosen):
    model.eval()
    out = np.zeros((data.starts[-1], COLUMNS), dtype=np.float32)
    with torch.no_grad():
        for batch in data.batches(chosen, 4000, np.random.default_rng(0)):
            x, mask, _ = data.load(batch)
            said = model(x, mask).numpy()
            for row, at in enumerate(batch):
                out[data.starts[at]:data.starts[at] + data.counts[at]] = said[row, :data.counts[at]]
    return out


def area(scores, yes):
    order = np.argsort(scores, kind='stable')
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    n = yes.sum()
    return (ranks[yes > 0].sum() - n * (n + 1) / 2) / (n * (len(yes) - n))


def report(data, out, chosen):
    some = [at for at in chosen if data.counts[at] > 0]
    mean = np.stack([out[data.starts[at]:data.starts[at] + data.counts[at]].mean(0) for at in some])
    pieces = np.concatenate([np.arange(data.starts[at], data.starts[at + 1]) for at in some])
    labels = [area(mean[:, LABELS + l], data.labels[some][:, l]) for l in range(COUNT) if data.labels[some][:, l].sum() > 0]
    hits = total = 0
    for at in some:
        for start, end, label in data.spans[at]:
            total += 1
            hits += out[data.starts[at] + start:data.starts[at] + end, NAME:NAME + COUNT].mean(0).argmax() == label
    print(f'any AUC {area(mean[:, ANY], data.any[some]):.4f}, labels mean AUC {np.mean(labels):.4f}, '
          f'token AUC {area(out[pieces, TOKEN], data.inside[pieces]):.4f}, naming {hits / max(1, total):.4f}', flush=True)


def write(folder, data, model, chosen):
    """The weights, and the mean input of each matrix over some sentences: what rounding takes from it is given back."""
    lists = {name: p.detach().numpy() for name, p in model.named_parameters()}
    sums, original = {}, torch.addmm
    names = {id(getattr(model, name)): name for name in ('attention_in', 'attention_out', 'feed_in', 'feed_out', 'heads')}

    def watched(bias, rows, matrix):
        total, count = sums.get(names[id(matrix)], (0, 0))
        sums[names[id(matrix)]] = (total + rows.sum(0).numpy(), count + len(rows))
        return original(bias, rows, matrix)

    model.eval()
    torch.addmm = watched
    with torch.no_grad():
        for at in np.random.default_rng(3).choice(chosen, 300, replace=False):
            x, mask, _ = data.load([at])
            model(x, mask)
    torch.addmm = original
    lists.update({f'{name}_mean': (total / count).astype(np.float32) for name, (total, count) in sums.items()})
    places, start = {}, 0
    with open(f'{folder}/upper.f32', 'wb') as file:
        for name, values in lists.items():
            places[name] = [start, values.size]
            start += values.size
            file.write(np.ascontiguousarray(values, dtype=np.float32).tobytes())
    json.dump(places, open(f'{folder}/upper.json', 'w'))


def main():
    folder, fold = sys.argv[1], sys.argv[2]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    data = Data(folder)
    places = json.load(open(f'{folder}/layer1.json'))
    flat = np.fromfile(f'{folder}/layer1.f32', dtype=np.float32)
    lists = {name: flat[start:start + count] for name, (start, count) in places.items()}
    read_all = np.flatnonzero(data.counts > 0)
    chosen = read_all if fold == 'all' else read_all[data.fold[read_all] != int(fold)]
    other = read_all[:0] if fold == 'all' else read_all[data.fold[read_all] == int(fold)]
    tell = (lambda model: report(data, read(data, model, other), other)) if len(other) else None
    model = train(data, lists, chosen, rounds, tell=tell)
    if fold == 'all':
        write(folder, data, model, read_all)
    else:
        out = read(data, model, other)
        np.concatenate([out[data.starts[at]:data.starts[at + 1]] for at in other]).tofile(f'{folder}/fold-{fold}.f32')


if __name__ == '__main__':
    main()
