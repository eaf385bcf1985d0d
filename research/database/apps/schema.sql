create extension pg_stat_statements;
create table author (id integer primary key, name text not null);
create table book (
  id integer primary key,
  title text not null,
  price integer not null,
  author_id integer not null references author
);
insert into author select n, 'author ' || n from generate_series(1, 200) n;
insert into book select n, 'book ' || n, n % 50, 1 + n % 200 from generate_series(1, 2000) n;
analyze;
